/* save.c - see save.h.  A header that says whose state it is, then the block of numbers as it stands: same
 * binary, same kind of machine.  Nothing that is used as an index or a length is believed without a look. */
#include "core/save.h"

#include "core/options.h"

#include <limits.h>
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct header {
    char magic[8];
    uint64_t signature; /* of problem, method and options */
    uint64_t block_size;
    uint64_t checksum;      /* of all but magic and this field */
    char method[SAVE_NAME]; /* that is in force */
    struct field_facts facts;
    int settled, verified;
};

static const char magic[8] = "keel\0001\n";

/* FNV-1a, 64 bits. */
static uint64_t hash(uint64_t h, const void *bytes, size_t count) {
    const unsigned char *p = bytes;
    for (size_t i = 0; i < count; i++)   /* every byte has a value: arrays and structs without padding */
        h = (h ^ p[i]) * 1099511628211u; // NOLINT(clang-analyzer-core.UndefinedBinaryOperatorResult)
    return h;
}

static uint64_t hash_doubles(uint64_t h, const double *values, int count) {
    return values ? hash(h, values, (size_t)count * sizeof *values) : hash(h, "", 1);
}

static uint64_t hash_text(uint64_t h, const char *text) {
    return text ? hash(h, text, strlen(text) + 1) : hash(h, "", 1);
}

/* What results depend on; options of other methods and stabilizers are not given. */
static uint64_t hash_options(uint64_t h, const struct engine *e) {
    const keel_method *stepper = &e->stepper->info, *stabilizer = &e->manifold.stabilizer->info;
    const keel_field *f;
    for (int i = 0; (f = options_at(i, stepper, stabilizer)); i++) {
        double number = keel_field_number(f, &e->o);
        if (!(f->traits & KEEL_FIELD_RESULTS)) continue;
        h = hash(h, &number, sizeof number);
        h = hash_text(h, keel_field_text(f, &e->o));
        h = hash_doubles(h, options_reals(f, &e->o), e->field.n);
    }
    return h;
}

static uint64_t signature(const struct engine *e) {
    const keel_problem *p = &e->field.p;
    int counts[] = {(int)p->form,
                    p->n,
                    p->m,
                    p->algebraic.count,
                    p->hidden.count,
                    p->energy.count,
                    p->constraint.count,
                    p->rolling.count,
                    p->invariant.count,
                    p->event.count,
                    p->clock,
                    (int)KEEL_ABI,
                    (int)sizeof(struct run_state)};
    uint64_t h = hash(14695981039346656037u, counts, sizeof counts);
    h = hash_options(h, e);
    h = hash_doubles(h, p->scale, p->n + p->m);
    h = hash_doubles(h, p->atol, p->n + p->m);
    h = p->array_of ? hash(h, p->array_of, (size_t)p->n * sizeof *p->array_of) : hash(h, "", 1);
    h = hash_text(h, p->name);
    h = hash_text(h, e->stepper->info.name);
    h = hash_text(h, e->manifold.stabilizer->info.name);
    return hash_text(h, KEEL_VERSION);
}

/* The same word by word, for many bytes. */
static uint64_t hash_words(uint64_t h, const unsigned char *bytes, size_t count) {
    uint64_t word;
    size_t at = 0;
    for (; count - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        h = (h ^ word) * 1099511628211u;
    }
    return hash(h, bytes + at, count - at);
}

static uint64_t checksum(const struct header *head, const void *block) {
    uint64_t h = hash(14695981039346656037u, &head->signature, 2 * sizeof(uint64_t));
    size_t rest = offsetof(struct header, method);
    h = hash(h, (const char *)head + rest, sizeof *head - rest);
    return hash_words(h, block, head->block_size);
}

size_t save_size(const struct engine *e) {
    return e->block ? sizeof(struct header) + e->block_size : 0;
}

void save_write(const struct engine *e, void *bytes) {
    struct header head;
    memset(&head, 0, sizeof head);
    memcpy(head.magic, magic, sizeof magic);
    text_set(head.method, sizeof head.method, "%s", e->stepper->info.name);
    head.signature = signature(e);
    head.block_size = e->block_size;
    head.facts = field_facts(&e->field);
    head.settled = e->settled;
    head.verified = e->verified;
    head.checksum = checksum(&head, e->block);
    memcpy(bytes, &head, sizeof head);
    memcpy((unsigned char *)bytes + sizeof head, e->block, e->block_size);
}

static int refuse(struct engine *e, const char *why) {
    engine_fail(e, KEEL_EINVAL, "%s", why);
    return 0;
}

static int flag(int value) {
    return value == 0 || value == 1;
}

/* Counters that have room to count on. */
static int counters_are_sound(const struct engine *e) {
    const struct run_state *r = e->r;
    const keel_stats *s = &r->stats;
    const long count[] = {r->count,          s->steps,    s->rejected,  s->calls,         s->newton,
                          s->factorizations, s->events,   s->jacobians, s->corrections,   s->unresolved,
                          s->schur,          s->switches, s->slides,    r->defect.samples};
    const int small[] = {r->crawls,
                         r->checks,
                         r->blurs,
                         r->accumulation.count,
                         r->accumulation.steady,
                         r->accumulation.same,
                         r->accumulation.alike,
                         r->zeno.count,
                         r->zeno.shrunk,
                         r->zeno.idle};
    for (size_t k = 0; k < sizeof count / sizeof *count; k++)
        if (count[k] < 0 || count[k] > LONG_MAX / 2) return 0;
    for (size_t k = 0; k < sizeof small / sizeof *small; k++)
        if (small[k] < 0 || small[k] > INT_MAX / 2) return 0;
    for (int k = 0; k < e->surfaces.count; k++) {
        const struct surface_tally *one = &e->surfaces.tally[k];
        if (one->crossings < 0 || one->crossings > LONG_MAX / 2 || one->slides < 0 ||
            one->slides > LONG_MAX / 2)
            return 0;
    }
    return 1;
}

static int record_is_sound(const struct engine *e) {
    const struct run_state *r = e->r;
    int events = e->field.p.event.count;
    int other_method = r->watch.wanted && !e->watched; /* of a run that keeps its own */
    return counters_are_sound(e) && watch_is_sound(&r->watch) && !other_method && flag(r->current) &&
           flag(r->inside) && flag(r->fresh) && flag(r->has_step) && flag(r->dense_ready) &&
           flag(r->rhs_known[0]) && flag(r->rhs_known[1]) && flag(r->observed) && flag(r->just_begun) &&
           r->direction >= -1 && r->direction <= 1 && r->event >= -1 && r->event < events && r->left >= -1 &&
           r->left < events && r->surface >= -1 && r->surface < events &&
           (r->surface < 0 || surfaces_of_event(e, r->surface) >= 0) && r->sliding >= 0 &&
           r->sliding <= e->surfaces.count && flag(r->unsettled) && flag(r->regridded) && flag(r->at_rest) &&
           flag(r->defect.relative) && r->defect.component >= -1 &&
           (r->defect.component < e->field.n || r->defect.samples == 0) && r->step >= 0 &&
           r->step <= e->o.step && (r->step > 0 || e->o.step == 0) && r->degree >= 0 &&
           r->degree < EVENTS_TERMS && r->status <= KEEL_OK && r->status >= KEEL_ELIMIT &&
           memchr(r->correction.state, 0, sizeof r->correction.state) &&
           memchr(r->correction.finding_state, 0, sizeof r->correction.finding_state) && isfinite(r->t) &&
           isfinite(r->t_now) && isfinite(r->base) && isfinite(r->t_low) && isfinite(r->t_low_before) &&
           isfinite(r->low) && isfinite(r->high) && r->rho >= 0 && !isinf(r->rho);
}

/* They come with the state: those of a run that went through events are not those of its last u0. */
static int tolerances_are_sound(const struct engine *e) {
    for (int i = 0; i < e->field.n; i++)
        if (!(e->atol[i] >= 0 && isfinite(e->atol[i]))) return 0;
    return 1;
}

const char *save_method(const void *bytes, size_t count, char name[SAVE_NAME]) {
    struct header head;
    if (!bytes || count < sizeof head) return NULL;
    memcpy(&head, bytes, sizeof head);
    memcpy(name, head.method, SAVE_NAME);
    return memcmp(head.magic, magic, sizeof magic) == 0 && memchr(name, 0, SAVE_NAME) ? name : NULL;
}

void save_tie(struct engine *e, const struct field_facts *facts) {
    field_set_facts(&e->field, facts);
    rows_open(&e->rows);
    manifold_choose(&e->manifold);
    surfaces_attach(e);
}

int save_read(struct engine *e, const void *bytes, size_t count) {
    struct header head;
    if (count < sizeof head) return refuse(e, "keel_load: these bytes are too few to be a saved solver");
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0)
        return refuse(e, "keel_load: these bytes are not a saved solver");
    if (head.signature != signature(e))
        return refuse(
            e, "keel_load: the state was saved with another problem, method, options or version of keel");
    if (head.block_size != e->block_size || count != sizeof head + e->block_size)
        return refuse(e, "keel_load: the state is incomplete");
    const unsigned char *block = (const unsigned char *)bytes + sizeof head;
    if (head.checksum != checksum(&head, block))
        return refuse(e, "keel_load: the state is damaged (wrong checksum)");
    memcpy(e->block, block, e->block_size);
    if (!record_is_sound(e) || !tolerances_are_sound(e) ||
        signature(e) != head.signature) { /* weights lie in the block */
        memset(e->r, 0, sizeof *e->r);
        return refuse(e, "keel_load: the state is damaged");
    }
    for (int i = 0; i < e->rows.count; i++)
        if (e->rows.treatment[i] < 0 || e->rows.treatment[i] > KEEL_ROW_DAMPED)
            e->rows.treatment[i] = KEEL_ROW_WATCHED;
    save_tie(e, &head.facts);
    e->settled = head.settled != 0;
    e->verified = head.verified != 0;
    return 1;
}
