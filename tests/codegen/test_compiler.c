/* test_compiler.c - compiled code is kept, and never trusted: a cache that is damaged, unsafe or shared, and
 * compilers that are absent or fail. */
#include "testing.h"
#include "backends.h"
#include "cache.h"

#include "codegen/compile.h"
#include "codegen/emit.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *const little = "int model_f(double t, const double *u, double *out, void *user) {\n"
                                  "(void)t, (void)user; out[0] = 2 * u[0]; return 0; }\n";

/* The one library in the cache. */
static void only_file(char *path, size_t capacity) {
    char command[600];
    snprintf(command, sizeof command, "ls -d '%s'/keel/*", cache);
    FILE *list = popen(command, "r");
    assert_non_null(list);
    assert_non_null(fgets(path, (int)capacity, list));
    path[strcspn(path, "\n")] = '\0';
    assert_int_equal(fgetc(list), EOF); /* nothing else: no build directory stays behind */
    pclose(list);
}

static void assert_doubles(struct compile_unit *unit) {
    double u = 21, out = 0;
    compile_function(unit, "f")(0, &u, &out, NULL);
    assert_true(out == 42);
    compile_close(unit);
}

static void load_little(int cached) {
    struct compile_unit unit = load(little);
    assert_int_equal(unit.cached, cached);
    assert_doubles(&unit);
}

static void a_damaged_cache_is_rebuilt(void **state) {
    (void)state;
    char path[400];
    assert_int_equal(drop_cache(NULL), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    load_little(0);
    load_little(1);
    only_file(path, sizeof path);
    struct stat info;
    assert_int_equal(stat(path, &info), 0);
    for (int harm = 0; harm < 4; harm++) {
        int file = open(path, O_RDWR);
        char byte = 'x';
        if (harm == 0) assert_int_equal(ftruncate(file, info.st_size / 2), 0);
        if (harm == 1) assert_int_equal(ftruncate(file, 0), 0);
        if (harm == 2) assert_int_equal(pwrite(file, &byte, 1, info.st_size / 3), 1);
        if (harm == 3) assert_int_equal(pwrite(file, &byte, 1, info.st_size - 1), 1);
        close(file);
        load_little(0);
    }
    load_little(1);
    only_file(path, sizeof path);
}

static void an_unsafe_cache_is_refused(void **state) {
    (void)state;
    struct compile_unit unit;
    char message[640], path[300];
    snprintf(path, sizeof path, "%s/keel", cache);
    assert_int_equal(chmod(path, 0777), 0);
    assert_int_equal(compile_load(little, NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    assert_non_null(strstr(message, "may write"));
    assert_int_equal(chmod(path, 0770), 0);
    assert_int_equal(compile_load(little, NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    assert_int_equal(chmod(path, 0700), 0);
    assert_int_equal(chmod(cache, 0777), 0); /* others could put another directory in its place */
    assert_int_equal(compile_load(little, NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    assert_int_equal(chmod(cache, 0700), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", "/proc/self", 1), 0);
    assert_int_equal(compile_load(little, NULL, &unit, message, sizeof message), COMPILE_REFUSED);
    if (geteuid() == 0) { /* the directory of another user */
        assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
        assert_int_equal(chown(path, 65534, 65534), 0);
        assert_int_equal(compile_load(little, NULL, &unit, message, sizeof message), COMPILE_REFUSED);
        assert_int_equal(chown(path, 0, 0), 0);
    }
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1), 0); /* ignored, as the standard says */
    assert_int_equal(setenv("HOME", cache, 1), 0);
    unit = load(little);
    assert_doubles(&unit);
    assert_int_equal(setenv("XDG_CACHE_HOME", cache, 1), 0);
}

static void expect_status(const char *cc, const char *path, enum compile_status wanted) {
    struct compile_unit unit;
    char message[640] = "", old[4096];
    snprintf(old, sizeof old, "%s", getenv("PATH"));
    setenv("PATH", path ? path : old, 1);
    if (cc) setenv("CC", cc, 1);
    enum compile_status status = compile_load(little, NULL, &unit, message, sizeof message);
    setenv("PATH", old, 1);
    unsetenv("CC");
    if (status != wanted)
        fail_msg("CC=%s PATH=%s: %d, %s", cc ? cc : "", path ? path : "", (int)status, message);
    assert_true(status == COMPILE_READY || message[0]);
    if (status == COMPILE_READY) assert_doubles(&unit);
}

static void without_a_compiler_the_caller_is_told(void **state) {
    (void)state;
    expect_status(NULL, "", COMPILE_ABSENT);
    expect_status(NULL, ".:", COMPILE_ABSENT);
    expect_status("no-such-compiler", NULL, COMPILE_ABSENT);
    expect_status("./cc", NULL, COMPILE_ABSENT);
    expect_status("cc; touch /tmp/keel-injected", NULL, COMPILE_REFUSED);
    expect_status("cc `id`", NULL, COMPILE_REFUSED);
    expect_status("cc '-O2'", NULL, COMPILE_REFUSED);
    expect_status("  cc   -O1  ", NULL, COMPILE_READY);
    expect_status("", NULL, COMPILE_READY);
    expect_status("cc -nonsense-option", NULL, COMPILE_FAILED);
    expect_status("false", NULL, COMPILE_FAILED);
    assert_int_equal(access("/tmp/keel-injected", F_OK), -1);
    struct compile_unit unit;
    char message[640];
    assert_int_equal(compile_load("int f( {", NULL, &unit, message, sizeof message), COMPILE_FAILED);
    assert_non_null(strstr(message, "error"));
}

/* Steps that are written out have options that gcc alone knows.  Another compiler is asked again without. */
static void a_compiler_that_does_not_know_an_option_is_asked_again(void **state) {
    (void)state;
    char path[600], written[400], message[640] = "";
    struct compile_unit unit;
    snprintf(path, sizeof path, "%s/picky", cache);
    snprintf(written, sizeof written, "/* %s */\n%s", EMIT_WRITTEN, little);
    FILE *script = fopen(path, "w");
    assert_non_null(script);
    fputs(
        "#!/bin/sh\nfor a in \"$@\"; do case $a in -fno-tree-pta) echo error: unknown; exit 1;; esac; done\n"
        "exec cc \"$@\"\n",
        script);
    assert_int_equal(fclose(script), 0);
    assert_int_equal(chmod(path, 0700), 0);
    setenv("CC", path, 1);
    assert_int_equal(compile_load(written, NULL, &unit, message, sizeof message), COMPILE_READY);
    assert_doubles(&unit);
    snprintf(written, sizeof written, "/* %s */ int f( {", EMIT_WRITTEN); /* and fails as ever */
    assert_int_equal(compile_load(written, NULL, &unit, message, sizeof message), COMPILE_FAILED);
    assert_non_null(strstr(message, "error"));
    unsetenv("CC");
}

static void processes_at_once_do_not_disturb_each_other(void **state) {
    (void)state;
    enum { PROCESSES = 8 };
    pid_t child[PROCESSES];
    assert_int_equal(drop_cache(NULL), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    for (int i = 0; i < PROCESSES; i++) {
        child[i] = fork();
        if (child[i] == 0) {
            struct compile_unit unit;
            char message[640];
            double u = 3, out = 0;
            if (compile_load(little, NULL, &unit, message, sizeof message) != COMPILE_READY) _exit(1);
            compile_function(&unit, "f")(0, &u, &out, NULL);
            _exit(out == 6 ? 0 : 2);
        }
    }
    for (int i = 0; i < PROCESSES; i++) {
        int status;
        assert_int_equal(waitpid(child[i], &status, 0), child[i]);
        assert_int_equal(status, 0);
    }
    char path[400];
    only_file(path, sizeof path);
}

/* Begun, asked for now and then, and there; or left, and gone with all its files. */
static void nobody_need_wait(void **state) {
    (void)state;
    struct compile_unit unit;
    char message[640], path[400];
    assert_int_equal(drop_cache(NULL), 0);
    assert_int_equal(mkdir(cache, 0700), 0);
    assert_int_equal(compile_begin(little, NULL, &unit, message, sizeof message), COMPILE_BUSY);
    enum compile_status status;
    while ((status = compile_end(&unit, 0, message, sizeof message)) == COMPILE_BUSY) usleep(1000);
    assert_int_equal(status, COMPILE_READY);
    assert_doubles(&unit);
    assert_int_equal(compile_begin(little, NULL, &unit, message, sizeof message), COMPILE_READY);
    assert_doubles(&unit);
    assert_int_equal(compile_begin("int x;", NULL, &unit, message, sizeof message), COMPILE_BUSY);
    compile_close(&unit);
    assert_int_equal(compile_begin("int x", NULL, &unit, message, sizeof message), COMPILE_BUSY);
    assert_int_equal(compile_end(&unit, 1, message, sizeof message), COMPILE_FAILED);
    assert_non_null(strstr(message, "error"));
    compile_close(&unit);
    only_file(path, sizeof path);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nobody_need_wait),
        cmocka_unit_test(a_damaged_cache_is_rebuilt),
        cmocka_unit_test(an_unsafe_cache_is_refused),
        cmocka_unit_test(without_a_compiler_the_caller_is_told),
        cmocka_unit_test(a_compiler_that_does_not_know_an_option_is_asked_again),
        cmocka_unit_test(processes_at_once_do_not_disturb_each_other),
    };
    unsetenv("CC");
    return cmocka_run_group_tests_name("backends", tests, make_cache, drop_cache);
}
