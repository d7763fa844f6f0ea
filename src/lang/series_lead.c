/* series_lead.c - the codes of constraints that are ahead come first; see series.h. */
#include "lang/series.h"

#include <stdlib.h>
#include <string.h>

/* needed[j]: jet j is one that the rows of g are made of. */
static void mark(const struct series *s, unsigned char *needed) {
    for (int i = 0; i < s->m; i++)
        if (s->shift[i]) needed[s->row[i]] = 1;
    for (int more = 1; more;) {
        more = 0;
        for (size_t i = s->early; i-- > 0;) {
            const struct series_code *c = &s->code[i];
            const uint32_t operand[3] = {c->a, c->b, c->c};
            int jets = needed[c->to] ? series_operands(c->rule) : 0;
            for (int k = 0; k < 3; k++) {
                if (!(jets & 1 << k) || needed[operand[k]]) continue;
                needed[operand[k]] = 1;
                more = 1;
            }
        }
    }
}

int series_lead(struct series *s, size_t values) {
    size_t rest = 0;
    unsigned char *needed = calloc(values + 1, 1);
    struct series_code *other = malloc((s->early + 1) * sizeof *other);
    int failed = !needed || !other;
    if (!failed) {
        mark(s, needed);
        for (size_t i = 0; i < s->early; i++) {
            if (needed[s->code[i].to]) s->code[s->ahead++] = s->code[i];
            else other[rest++] = s->code[i];
        }
        memcpy(s->code + s->ahead, other, rest * sizeof *other);
    }
    free(needed);
    free(other);
    return failed ? -1 : 0;
}
