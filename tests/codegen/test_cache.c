/* test_cache.c - the cache of compiled models keeps what was used last, and touches only what is ours. */
#include "testing.h"

#include "codegen/compile.h"
#include "codegen/compile_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static char home[256], keel[300];

static void empty(void) {
    char command[600];
    snprintf(command, sizeof command, "rm -rf -- '%s'", home);
    assert_int_equal(system(command), 0);
}

static int make_cache(void **state) {
    (void)state;
    snprintf(home, sizeof home, "%s/keel-test-XXXXXX", getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(home)) return -1;
    snprintf(keel, sizeof keel, "%s/keel", home);
    if (mkdir(keel, 0700)) return -1;
    unsetenv("CC");
    return setenv("XDG_CACHE_HOME", home, 1);
}

static int drop_cache(void **state) {
    (void)state;
    empty();
    return 0;
}

static const char *path_of(const char *name) {
    static char path[600];
    snprintf(path, sizeof path, "%s/%s", keel, name);
    return path;
}

static void set_age(const char *name, long seconds) {
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path_of(name), times, AT_SYMLINK_NOFOLLOW), 0);
}

/* A file of that many bytes (none of them on the disk), last used so many seconds ago. */
static void make_file(const char *name, long size, long age) {
    int file = open(path_of(name), O_CREAT | O_WRONLY, 0600);
    assert_true(file >= 0);
    assert_int_equal(ftruncate(file, size), 0);
    close(file);
    set_age(name, age);
}

static const char *library(int number) {
    static char name[40];
    snprintf(name, sizeof name, "%032x.so", (unsigned)number);
    return name;
}

static int is_there(const char *name) {
    struct stat info;
    return lstat(path_of(name), &info) == 0;
}

static int files(void) {
    DIR *folder = opendir(keel);
    int count = 0;
    assert_non_null(folder);
    for (struct dirent *one; (one = readdir(folder)) != NULL;) count += one->d_name[0] != '.';
    closedir(folder);
    return count;
}

static struct compile_unit load(int factor) {
    struct compile_unit unit;
    char source[300], message[640] = "";
    snprintf(source, sizeof source,
             "int model_f(double t, const double *u, double *out, void *user) {\n"
             "(void)t, (void)user; out[0] = %d * u[0]; return 0; }\n",
             factor);
    if (compile_load(source, NULL, &unit, message, sizeof message) != COMPILE_READY) fail_msg("%s", message);
    return unit;
}

static double call(const struct compile_unit *unit) {
    double u = 10, out = 0;
    compile_function(unit, "f")(0, &u, &out, NULL);
    return out;
}

static void fresh(void) {
    empty();
    assert_int_equal(mkdir(home, 0700), 0);
    assert_int_equal(mkdir(keel, 0700), 0);
}

/* Beyond the number of files the oldest go, when a new one has been stored. */
static void the_least_recently_used_go(void **state) {
    (void)state;
    fresh();
    for (int i = 0; i < 300; i++) make_file(library(i), 100, 60 + i);
    struct compile_unit unit = load(3);
    assert_int_equal(files(), COMPILE_KEPT_FILES);
    for (int i = 0; i < 300; i++) assert_int_equal(is_there(library(i)), i < COMPILE_KEPT_FILES - 1);
    assert_true(call(&unit) == 30);
    compile_close(&unit);
    unit = load(3);
    assert_int_equal(unit.cached, 1); /* the new one stayed */
    compile_close(&unit);
}

/* Beyond the bytes too; the sum counts from the last used. */
static void their_sizes_count(void **state) {
    (void)state;
    fresh();
    for (int i = 0; i < 10; i++) make_file(library(i), 60L << 20, 60 + i);
    struct compile_unit unit = load(4);
    compile_close(&unit);
    assert_int_equal(files(), 1 + 4);
    for (int i = 0; i < 10; i++) assert_int_equal(is_there(library(i)), i < 4);
    /* One that is larger than all that may be kept stays as long as it is the last used. */
    fresh();
    make_file(library(1), 1000, 10);
    make_file(library(2), 10, 20);
    compile_trim(keel, 10, 100);
    assert_int_equal(is_there(library(1)), 1);
    assert_int_equal(is_there(library(2)), 0);
}

/* A model that was used again is not the oldest any more. */
static void use_keeps_a_model(void **state) {
    (void)state;
    fresh();
    struct compile_unit unit = load(5);
    compile_close(&unit);
    char name[300] = "";
    DIR *folder = opendir(keel);
    for (struct dirent *one; (one = readdir(folder)) != NULL;)
        if (one->d_name[0] != '.') snprintf(name, sizeof name, "%s", one->d_name);
    closedir(folder);
    set_age(name, 100000);
    for (int i = 0; i < COMPILE_KEPT_FILES; i++) make_file(library(i), 100, 60 + i);
    unit = load(5);
    assert_int_equal(unit.cached, 1);
    assert_int_equal(files(), COMPILE_KEPT_FILES + 1); /* only storing tidies up */
    struct compile_unit other = load(6);
    assert_int_equal(files(), COMPILE_KEPT_FILES);
    assert_int_equal(is_there(name), 1);
    assert_int_equal(is_there(library(COMPILE_KEPT_FILES - 3)), 1);
    assert_int_equal(is_there(library(COMPILE_KEPT_FILES - 2)), 0);
    /* A library that is loaded can be removed, and works on. */
    compile_trim(keel, 0, 0);
    assert_int_equal(files(), 1);
    assert_true(call(&unit) == 50 && call(&other) == 60);
    compile_close(&unit);
    compile_close(&other);
}

/* Other names, links and directories are left alone; so are files of other users. */
static void only_our_own_files_go(void **state) {
    (void)state;
    static const char *const strange[] = {"notes.so",
                                          "0123456789abcdef0123456789abcde.so",
                                          "0123456789abcdef0123456789abcdef.so.bak",
                                          "0123456789ABCDEF0123456789ABCDEF.so",
                                          "build.abc",
                                          "build.abcdef",
                                          "build.abcdefg"};
    enum { STRANGE = sizeof strange / sizeof *strange };
    fresh();
    for (int i = 0; i < STRANGE; i++) make_file(strange[i], 10, 1000000);
    assert_int_equal(symlink("notes.so", path_of(library(1))), 0);
    assert_int_equal(mkdir(path_of(library(2)), 0700), 0);
    set_age(library(2), 1000000);
    make_file(library(3), 10, 1000);
    make_file(library(4), 10, 2000);
    int foreign = geteuid() == 0;
    if (foreign) {
        make_file(library(5), 10, 3000);
        assert_int_equal(chown(path_of(library(5)), 65534, 65534), 0);
    }
    compile_trim(keel, 0, 0);
    assert_int_equal(files(), STRANGE + 3 + foreign);
    assert_int_equal(is_there(library(4)), 0);
}

static void make_build(const char *name, const char *more, long age) {
    char file[100];
    assert_int_equal(mkdir(path_of(name), 0700), 0);
    for (int i = 0; compile_build_files[i]; i++) {
        snprintf(file, sizeof file, "%s/%s", name, compile_build_files[i]);
        make_file(file, 10, age);
    }
    snprintf(file, sizeof file, "%s/%s", name, more);
    if (more[0]) make_file(file, 10, age);
    set_age(name, age);
}

/* Builds that were killed an hour ago go; those under way stay, as do files that are not ours. */
static void old_builds_go(void **state) {
    (void)state;
    fresh();
    make_build("build.old001", "", 3700);
    make_build("build.new001", "", 3500);
    make_build("build.old002", "mine", 3700);
    assert_int_equal(symlink("build.new001", path_of("build.link01")), 0);
    set_age("build.link01", 4000);
    compile_trim(keel, 10, 1000);
    assert_int_equal(is_there("build.old001"), 0);
    assert_int_equal(is_there("build.new001/model.c"), 1);
    assert_int_equal(is_there("build.old002/mine"), 1);
    assert_int_equal(is_there("build.old002/model.c"), 0);
    assert_int_equal(is_there("build.link01"), 1);
    compile_trim("/no/such/place", 1, 1);
}

/* Processes that store, use and tidy up at once: each gets its model, whatever the others remove. */
static void processes_may_tidy_up_at_once(void **state) {
    (void)state;
    enum { PROCESSES = 4, ROUNDS = 6, MODELS = 3 };
    pid_t child[PROCESSES];
    fresh();
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] != 0) continue;
        for (int k = 0; k < ROUNDS; k++) {
            struct compile_unit unit = load(7 + (i + k) % MODELS);
            for (int again = 0; again < 200; again++) compile_trim(keel, 1, 1 << 20);
            if (call(&unit) != 10 * (7 + (i + k) % MODELS)) _exit(1);
            compile_close(&unit);
        }
        _exit(0);
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
}

/* The one library in the cache. */
static const char *only_library(void) {
    static char name[300];
    DIR *folder = opendir(keel);
    name[0] = '\0';
    for (struct dirent *one; (one = readdir(folder)) != NULL;)
        if (one->d_name[0] != '.') snprintf(name, sizeof name, "%s", one->d_name);
    closedir(folder);
    return name;
}

/* What is not the very file that was stored by this user is not loaded, but made again. */
static void assert_not_loaded(int factor) {
    struct compile_unit unit = load(factor);
    assert_int_equal(unit.cached, 0);
    assert_true(call(&unit) == 10 * factor);
    compile_close(&unit);
    unit = load(factor);
    assert_int_equal(unit.cached, 1);
    compile_close(&unit);
}

static void planted_entries_are_not_loaded(void **state) {
    (void)state;
    char entry[300], other[700];
    fresh();
    struct compile_unit unit = load(21);
    compile_close(&unit);
    snprintf(entry, sizeof entry, "%s", only_library());

    assert_int_equal(chmod(path_of(entry), 0666), 0);
    assert_not_loaded(21);
    assert_int_equal(chmod(path_of(entry), 0620), 0);
    assert_not_loaded(21);
    if (geteuid() == 0) {
        assert_int_equal(chown(path_of(entry), 65534, 65534), 0);
        assert_not_loaded(21);
    }
    snprintf(other, sizeof other, "%s/elsewhere.so", home); /* the same bytes behind a link */
    assert_int_equal(rename(path_of(entry), other), 0);
    assert_int_equal(symlink(other, path_of(entry)), 0);
    assert_not_loaded(21);
    struct stat info;
    assert_int_equal(lstat(path_of(entry), &info), 0);
    assert_true(S_ISREG(info.st_mode));

    unit = load(22); /* another model's library, whole and sealed, under this one's name */
    compile_close(&unit);
    char name[300] = "";
    DIR *folder = opendir(keel);
    for (struct dirent *one; (one = readdir(folder)) != NULL;)
        if (one->d_name[0] != '.' && strcmp(one->d_name, entry) != 0)
            snprintf(name, sizeof name, "%s", one->d_name);
    closedir(folder);
    snprintf(other, sizeof other, "%s/%s", keel, name);
    assert_int_equal(rename(other, path_of(entry)), 0);
    assert_not_loaded(21);
    assert_int_equal(truncate(path_of(entry), 100), 0);
    assert_not_loaded(21);
    assert_int_equal(unlink(path_of(entry)), 0);
    assert_int_equal(mkfifo(path_of(entry), 0600), 0);
    assert_not_loaded(21);
}

/* Whatever the umask, what is stored can be loaded again, and nobody else may write to it. */
static void the_umask_does_not_matter(void **state) {
    (void)state;
    struct stat info;
    fresh();
    mode_t before = umask(0);
    struct compile_unit unit = load(23);
    compile_close(&unit);
    unit = load(23);
    assert_int_equal(unit.cached, 1);
    compile_close(&unit);
    umask(before);
    assert_int_equal(stat(path_of(only_library()), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
}

/* A folder that another user has put there, or a link of theirs, is not used. */
static void planted_folders_are_not_used(void **state) {
    (void)state;
    struct compile_unit unit;
    char message[640] = "", elsewhere[700];
    if (geteuid() != 0) return; /* nobody else's files can be made */
    fresh();
    assert_int_equal(chown(keel, 65534, 65534), 0);
    assert_int_equal(compile_load("int model_f;\n", NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    assert_int_equal(rmdir(keel), 0);
    snprintf(elsewhere, sizeof elsewhere, "%s/mine", home);
    assert_int_equal(mkdir(elsewhere, 0700), 0);
    assert_int_equal(symlink("mine", keel), 0);
    assert_int_equal(lchown(keel, 65534, 65534), 0);
    assert_int_equal(compile_load("int model_f;\n", NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    assert_non_null(strstr(message, "is not used"));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_least_recently_used_go),
        cmocka_unit_test(their_sizes_count),
        cmocka_unit_test(use_keeps_a_model),
        cmocka_unit_test(only_our_own_files_go),
        cmocka_unit_test(old_builds_go),
        cmocka_unit_test(processes_may_tidy_up_at_once),
        cmocka_unit_test(planted_entries_are_not_loaded),
        cmocka_unit_test(the_umask_does_not_matter),
        cmocka_unit_test(planted_folders_are_not_used),
    };
    return cmocka_run_group_tests_name("cache", tests, make_cache, drop_cache);
}
