/* test_documents.c - the models in the documents: every block fenced as ```keel is a whole model that is read
 * without a message and whose modes have a structure; the language's page shows every statement and names
 * every example. */
#include "example_list.h"

#include "lang_model.h"

enum { STATEMENTS = SYNTAX_TABLE + 1 };

static void note_statements(const struct syntax_statement *s, int *shown) {
    for (; s; s = s->next) {
        shown[s->kind]++;
        note_statements(s->body, shown);
    }
}

static void check_block(const char *document, const char *begin, size_t length, int *shown) {
    struct reading r;
    char *text = calloc(1, length + 1);
    assert_non_null(text);
    memcpy(text, begin, length);
    reading_open(&r, document, text);
    if (!r.model || r.messages.count) fail_msg("%s: a block has messages:\n%s", document, text);
    note_statements(r.written->statements, shown);
    for (int k = 0; k < r.model->modes; k++) {
        struct structure s;
        int redundant;
        enum structure_verdict verdict = reading_analyse(r.model, &r.model->mode[k], &redundant, &s);
        structure_close(&s);
        if (verdict != STRUCTURE_OK) fail_msg("%s: verdict %d of\n%s", document, (int)verdict, text);
    }
    reading_close(&r);
}

/* The number of models in a document. */
static int check_document(const char *name, int *shown) {
    static const char open[] = "\n```keel\n", close[] = "\n```\n";
    char *text = reading_file(KEEL_EXAMPLES_DIR "/..", name), *at = text;
    int count = 0;
    assert_non_null(text);
    while ((at = strstr(at, open)) != NULL) {
        at += strlen(open);
        char *end = strstr(at, close);
        assert_non_null(end);
        check_block(name, at, (size_t)(end - at) + 1, shown);
        at = end;
        count++;
    }
    free(text);
    return count;
}

static void models_in_documents_are_models(void **unused) {
    (void)unused;
    int shown[STATEMENTS] = {0};
    check_document("README.md", shown);
    memset(shown, 0, sizeof shown);
    assert_true(check_document("docs/language.md", shown) > 0);
    for (int kind = 0; kind < STATEMENTS; kind++)
        if (!shown[kind])
            fail_msg("no model shows `%s`", syntax_statement_word((enum syntax_statement_kind)kind));
}

static void every_example_is_listed(void **unused) {
    (void)unused;
    char *text = reading_file(KEEL_EXAMPLES_DIR "/..", "docs/language.md");
    static struct example_list examples;
    assert_non_null(text);
    example_list_open(&examples);
    const char *list = strstr(text, "\n## The examples");
    assert_non_null(list);
    for (int k = 0; k < examples.count; k++) {
        char name[EXAMPLE_ROOM], quoted[EXAMPLE_ROOM + 2];
        example_name(examples.file[k], name);
        snprintf(quoted, sizeof quoted, "`%s`", name);
        if (!strstr(list, quoted)) fail_msg("docs/language.md does not list %s", quoted);
    }
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(models_in_documents_are_models),
        cmocka_unit_test(every_example_is_listed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
