/* open_clock.c - see open.h; formulation_clock.c has the equations. */
#include "model/open.h"
#include "model/query.h"

#include <string.h>

int open_clock(struct keel_model *m) {
    struct model *model = m->model;
    const char *text = m->clock;
    char why[INSIDE_WHY];
    model->clock = EXPR_NONE;
    model->clock_where = (struct syntax_span){SOURCE_NOWHERE, 0};
    for (int i = 0; i < model->options && !text; i++) {
        if (strcmp(model->option[i].name, "clock") != 0) continue;
        text = model->option[i].text;
        model->clock_where = model->option[i].where;
    }
    model->clock_of_equations = text && strcmp(text, "auto") == 0;
    if (!text || !text[0] || strcmp(text, "none") == 0 || model->clock_of_equations) return 1;
    model->clock = query_expression(m, text, why, sizeof why);
    if (model->clock != EXPR_NONE) return 1;
    source_diagnose(&m->messages, SOURCE_ERROR, model->clock_where.offset, model->clock_where.length,
                    "the clock `%.80s`: %s", text, why);
    return 0;
}
