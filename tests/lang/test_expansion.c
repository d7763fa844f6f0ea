/* test_expansion.c - models of parts are written out with any memory: wherever it ends there is a sentence,
 * and with enough of it a flat model. */
#include "elaborated.h"

/* Read with all the memory, written out with little. */
static void expand_within(const struct reading *roomy, size_t limit, int *whole) {
    struct pool tight = {.limit = limit};
    struct source_messages *m = calloc(1, sizeof *m);
    const struct syntax_file *flat = parts_expand(&roomy->source, roomy->file, m, &tight);
    assert_int_equal(flat == NULL, tight.refused);
    assert_int_equal(m->errors > 0, tight.refused);
    for (const struct syntax_statement *s = flat ? flat->statements : NULL; s; s = s->next)
        assert_true(s->kind != SYNTAX_PART && s->kind != SYNTAX_USE && s->kind != SYNTAX_LIBRARY);
    *whole = flat != NULL;
    pool_release(&tight);
    free(m);
}

static void expand_with_any_memory(const char *folder, const char *name, size_t stride) {
    struct reading r = {0};
    char path[1024];
    int whole = 0;
    snprintf(path, sizeof path, "%s/%s/%s", KEEL_EXAMPLES_DIR, folder, name);
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 16);
    assert_true(fread(text, 1, (1 << 16) - 1, file) > 0);
    fclose(file);
    r.source = (struct source){"a.keel", text, strlen(text), 0};
    r.file = parser_run(&r.source, &r.messages, &r.pool);
    assert_non_null(r.file);
    if (library_append(&r.source, r.file, &r.messages, &r.pool))
        r.file = parser_run(&r.source, &r.messages, &r.pool);
    for (size_t limit = 16; !whole; limit += stride) expand_within(&r, limit, &whole);
    pool_release(&r.pool);
    free(text);
}

static void any_memory_ends_in_a_sentence(void **state) {
    static const char *const folder[] = {"circuits", "contacts", "groups", "mechanisms"};
    (void)state;
    for (size_t f = 0; f < sizeof folder / sizeof folder[0]; f++) {
        char path[1024];
        struct dirent **entry;
        snprintf(path, sizeof path, "%s/%s", KEEL_EXAMPLES_DIR, folder[f]);
        int found = scandir(path, &entry, example_is_model, alphasort);
        assert_true(found > 0);
        for (int k = 0; k < found; k++) {
            expand_with_any_memory(folder[f], entry[k]->d_name, 208); /* thirteen of the smallest pieces */
            free(entry[k]);
        }
        free(entry);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_memory_ends_in_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
