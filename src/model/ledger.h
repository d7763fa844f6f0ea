/* ledger.h - the certificate over all modes of a run: how well each row held, what each switching surface
 * did.
 *
 * A solver knows the mode in force alone.  The rows of a mode that is left are entered here: their worst goes
 * on, and their first value is the one at the true start. */
#ifndef KEEL_MODEL_LEDGER_H
#define KEEL_MODEL_LEDGER_H

#include "keel/model.h"

#include <stdint.h>

/* Without padding: it is saved as it stands. */
struct ledger_row {
    double start, drift, units, last, unit;
    int32_t kind, treatment, verdict, seen; /* seen: a mode that was in force has it */
};

struct ledger_surface {
    int64_t crossings, slides;
    double slid;
};

struct ledger {
    int rows, surfaces;
    struct ledger_row *row;                /* as they stood when a mode was entered or left */
    struct ledger_surface *before, *total; /* what the solver at hand has not counted; work */
};

/* The switching surfaces of all modes by their names, each once: 1, or 0 with a message. */
int ledger_names(struct keel_model *m);
int ledger_open(struct ledger *l, const struct keel_model *m); /* 0, or -1 without memory */
/* The model has more modes now, behind the others, with rows and surfaces behind theirs: the same. */
int ledger_grow(struct ledger *l, const struct keel_model *m);
void ledger_close(struct ledger *l);
void ledger_leave(struct keel_sim *s); /* before another problem takes over */
void ledger_enter(struct keel_sim *s); /* once it has, and at the start */
/* The bytes of a saved state. */
size_t ledger_size(const struct ledger *l);
void ledger_save(const struct ledger *l, unsigned char *bytes);
int ledger_load(struct ledger *l, const unsigned char *bytes); /* 1; 0: they are none */
#endif
