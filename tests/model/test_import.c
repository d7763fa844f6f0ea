/* test_import.c - import "mine.keel": parts from a file beside the model; what may be named, and that the
 * text of the model then stands alone. */
#include "testing.h"

#include "model_run.h"

#include <unistd.h>

static char folder[] = "/tmp/keel_import_XXXXXX";

static void path_to(const char *name, char *out, size_t room) {
    snprintf(out, room, "%s/%s", folder, name);
}

static void put_file(const char *name, const char *text) {
    char path[200];
    path_to(name, path, sizeof path);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static int make_folder(void **state) {
    (void)state;
    assert_non_null(mkdtemp(folder));
    return 0;
}

static int remove_folder(void **state) {
    static const char *const names[] = {"model.keel", "mine.keel", "tabs.keel", "out.keel"};
    char path[200];
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        path_to(names[i], path, sizeof path);
        unlink(path);
    }
    return rmdir(folder);
}

static keel_model *load(const char *text) {
    char path[200];
    put_file("model.keel", text);
    path_to("model.keel", path, sizeof path);
    keel_model *m = keel_model_load(path, &(keel_model_options){.interpret = 1});
    assert_non_null(m);
    return m;
}

#define MODEL "import \"mine.keel\"\nuse Tank one(1, 0)\noutput both = twice(one.h)\nrun 0 .. 1\n"
#define TANK                                                                                                 \
    "param c = 2\nlet twice(x) = c*x\n\npart Tank(a, level):\n    var h\n    h' = a - twice(h)\n    init h " \
    "= level"

static double end_of(keel_model *m) {
    if (keel_model_status(m) != KEEL_OK) fail_msg("%s", keel_model_message(m));
    keel_sim *s = keel_sim_open(m, &(keel_options){.rtol = 1e-10});
    run_to(s, 1);
    double value = value_of(s, "both");
    keel_sim_close(s);
    return value;
}

static void a_file_of_parts_is_a_library(void **state) {
    (void)state;
    put_file("mine.keel", TANK);
    keel_model *m = load(MODEL);
    assert_near(end_of(m), 1 - exp(-2), 1e-8);
    keel_model *again = keel_model_read("again", keel_model_text(m), strlen(keel_model_text(m)), NULL);
    assert_near(end_of(again), end_of(m), 0);
    keel_model_close(again);
    keel_model_close(m);
    put_file("tabs.keel", "part Tank(a, level):\n\tvar h\n\th' = a - 2*h\n\tinit h = level\n");
    m = load("import \"tabs.keel\"\nparam c = 3\nuse Tank one(1, 0)\noutput both = 2*one.h\nrun 0 .. 1\n");
    assert_near(end_of(m), 1 - exp(-2), 1e-8);
    keel_model_close(m);
}

static void mistakes_are_told_in_their_file(void **state) {
    (void)state;
    put_file("mine.keel", "param c = 2\nparam d = = 1\n");
    keel_model *m = load(MODEL);
    assert_non_null(strstr(keel_model_message(m), "library mine:2:"));
    keel_model_close(m);
    put_file("mine.keel", "var x\nx' = 1\n");
    m = load(MODEL);
    assert_non_null(
        strstr(keel_model_message(m), "library mine:1:5: error: `var` cannot stand in a library"));
    keel_model_close(m);
}

static const struct {
    const char *path, *sentence;
} refused[] = {{"../mine.keel", "outside of the model's folder"},
               {"sub/../../mine.keel", "outside of the model's folder"},
               {"/etc/mine.keel", "outside of the model's folder"},
               {"nothing.keel", "No such file"},
               {"circuit.keel", "a library of keel has that name"},
               {"out.keel", "a link leads out of the model's folder"},
               {"mine.txt", "no name of a file of parts"},
               {"9.keel", "no name of a file of parts"}};

static void no_path_leaves_the_folder(void **state) {
    char text[200], link[200];
    (void)state;
    path_to("out.keel", link, sizeof link);
    assert_int_equal(symlink("/etc/passwd", link), 0);
    for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
        snprintf(text, sizeof text, "import \"%s\"\nvar x\nx' = 1\ninit x = 0\nrun 0 .. 1\n",
                 refused[i].path);
        keel_model *m = load(text);
        if (keel_model_status(m) != KEEL_EINVAL || !strstr(keel_model_message(m), refused[i].sentence))
            fail_msg("%s: %s", refused[i].path, keel_model_message(m));
        keel_model_close(m);
    }
}

/* A text that is no file names none, whatever it is called; import is a word only before a file's name. */
static void a_text_names_no_file(void **state) {
    (void)state;
    char path[200];
    put_file("mine.keel", TANK);
    path_to("model.keel", path, sizeof path);
    keel_model *m = keel_model_read(path, MODEL, strlen(MODEL), NULL);
    assert_non_null(strstr(keel_model_message(m), "this text is no file"));
    keel_model_close(m);
    m = model_of("var import\nimport' = -import\ninit import = 1\nrun 0 .. 1\n");
    keel_model_close(m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_of_parts_is_a_library),
        cmocka_unit_test(mistakes_are_told_in_their_file),
        cmocka_unit_test(no_path_leaves_the_folder),
        cmocka_unit_test(a_text_names_no_file),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
