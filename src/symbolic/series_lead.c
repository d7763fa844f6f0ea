/* series_lead.c - the codes of constraints that are ahead come first; see series.h. */
#include "symbolic/series.h"

#include <stdlib.h>
#include <string.h>

int series_lead(struct series *s, size_t values) {
    size_t rest = 0;
    uint32_t *needed = calloc(values + 1, sizeof *needed);
    struct series_code *other = malloc((s->early + 1) * sizeof *other);
    int failed = !needed || !other;
    if (!failed) {
        for (int i = 0; i < s->m; i++)
            if (s->shift[i]) needed[s->row[i]] = 1;
        series_reach(s, s->early, needed);
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
