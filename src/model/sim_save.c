/* sim_save.c - the state of a run as bytes: what the run itself keeps, then the solver's own.
 *
 * The numbers are those of this machine and this version; a check over the model's text and parameters
 * refuses others. */
#include "model/grow.h"
#include "model/sim_record.h"

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static const char magic[8] = "keelsim3";

struct head {
    char magic[8];
    uint64_t check; /* of text, parameters and version */
    uint64_t sum;   /* of all that follows, but for the solver's bytes, which have their own */
    int32_t mode, entered, simultaneous, parameters, events, unknowns;
    int32_t grown, groups; /* combinations of modes that were entered on the way, behind the first */
    double simultaneous_time, direction;
    int64_t event_records, solver, jumps;
};

/* An event by its numbers: names are pointers. */
struct saved_event {
    double t;
    int32_t event, from, to, changed;
};

struct saved_jump {
    int64_t event_record, row;
    double before, after;
};

static uint64_t hash(uint64_t h, const void *bytes, size_t count) {
    for (size_t i = 0; i < count; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return h;
}

static uint64_t check_of(const struct keel_sim *s) {
    const keel_model *m = s->m;
    uint64_t h = hash(14695981039346656037u, m->text, m->source.length);
    const unsigned abi = KEEL_ABI;
    h = hash(h, KEEL_VERSION, sizeof KEEL_VERSION);
    h = hash(h, &abi, sizeof abi);
    return hash(h, m->parameter, (size_t)m->model->parameters * sizeof *m->parameter);
}

static int number_of(const struct keel_sim *s, const keel_event_record *one) {
    const struct model_mode *mode = &s->m->model->mode[one->from];
    const struct contact_model *c = &s->m->mode[one->from]->contact;
    for (int k = 0; k < mode->events + mode->timed; k++)
        if (strcmp(mode->event[k].label.text, one->event) == 0) return k;
    for (int k = 0; k < CONTACT_WORDS * c->count; k++)
        if (c->event_name[k] == one->event) return mode->events + mode->timed + k;
    return 0;
}

/* The name of an event by its number; NULL: there is none. */
static const char *name_of(const struct keel_sim *s, int mode, int number) {
    const struct model_mode *from = &s->m->model->mode[mode];
    const struct contact_model *c = &s->m->mode[mode]->contact;
    int own = from->events + from->timed;
    if (number < 0 || number >= own + CONTACT_WORDS * c->count) return NULL;
    return number < own ? from->event[number].label.text : c->event_name[number - own];
}

/* The modes of the groups in the combinations that were entered on the way. */
static size_t grown_of(const struct keel_sim *s) {
    return s->m->model->groups > 1 ? (size_t)(s->m->modes - 1) * (size_t)s->m->model->groups : 0;
}

static void save_grown(const struct keel_sim *s, unsigned char *at) {
    const struct model *model = s->m->model;
    size_t bytes = (size_t)model->groups * sizeof(int);
    for (int i = 1; i < model->modes && model->groups > 1; i++, at += bytes)
        memcpy(at, model->mode[i].combination, bytes);
}

/* The same read: the run enters them in the same order.  1; 0: they are none; -1: it has failed. */
static int load_grown(struct keel_sim *s, const unsigned char *at, int count) {
    const struct model *model = s->m->model;
    int groups = model->groups, good = 1;
    int *combination = malloc(((size_t)groups + 1) * sizeof *combination);
    if (!combination) return sim_no_memory(s), -1;
    for (int i = 0; i < count && good == 1; i++, at += (size_t)groups * sizeof *combination) {
        memcpy(combination, at, (size_t)groups * sizeof *combination);
        for (int g = 0; g < groups; g++)
            if (combination[g] < 0 || combination[g] >= model->blocks ||
                model->block[combination[g]].group != g)
                good = 0;
        if (good && grow_by(s, combination) != KEEL_OK) good = -1;
    }
    free(combination);
    return good;
}

static uint64_t sum_of(const unsigned char *bytes, size_t before_solver) {
    size_t from = offsetof(struct head, sum) + sizeof(uint64_t);
    return hash(14695981039346656037u, bytes + from, before_solver - from);
}

struct piece {
    const void *bytes;
    size_t count;
};

static size_t unknowns_of(const struct keel_sim *s) {
    return (size_t)(s->problem[s->mode].n + s->problem[s->mode].m);
}

static size_t events_of(const struct keel_sim *s) {
    return (size_t)(s->m->model->mode[s->mode].events + s->m->model->mode[s->mode].timed);
}

/* Parameters, held values, sides: the pieces of tables are nobody else's. */
static size_t numbers_of(const struct keel_sim *s) {
    return (size_t)(s->m->model->parameters + s->m->model->helds + s->m->sides);
}

size_t keel_sim_save(const keel_sim *s, void *bytes, size_t capacity) {
    if (!s || !s->solver || s->status < 0) return 0;
    size_t solver = keel_save(s->solver, NULL, 0), numbers = numbers_of(s);
    struct head head = {.check = check_of(s),
                        .mode = s->mode,
                        .entered = s->entered,
                        .simultaneous = s->simultaneous,
                        .parameters = (int32_t)numbers,
                        .events = (int32_t)events_of(s),
                        .unknowns = (int32_t)unknowns_of(s),
                        .simultaneous_time = s->simultaneous_time,
                        .direction = s->direction,
                        .event_records = s->event_records,
                        .jumps = s->jumps,
                        .solver = (int64_t)solver,
                        .grown = (int32_t)(s->m->model->groups > 1 ? s->m->modes - 1 : 0),
                        .groups = (int32_t)s->m->model->groups};
    memcpy(head.magic, magic, sizeof magic);
    size_t total = sizeof head + grown_of(s) * sizeof(int) + (numbers + unknowns_of(s)) * sizeof(double) +
                   events_of(s) * sizeof *s->fired + contact_bytes(s) + ledger_size(&s->ledger) +
                   (size_t)s->event_records * sizeof(struct saved_event) +
                   (size_t)s->jumps * sizeof(struct saved_jump) + solver;
    if (!bytes || capacity < total || solver == 0) return solver ? total : 0;
    unsigned char *at = bytes;
    memcpy(at, &head, sizeof head);
    save_grown(s, at + sizeof head);
    at += sizeof head + grown_of(s) * sizeof(int);
    const struct piece pieces[] = {{s->parameter, numbers * sizeof *s->parameter},
                                   {s->entry, unknowns_of(s) * sizeof *s->entry},
                                   {s->fired, events_of(s) * sizeof *s->fired}};
    for (int k = 0; k < 3; k++) {
        if (pieces[k].count) memcpy(at, pieces[k].bytes, pieces[k].count);
        at += pieces[k].count;
    }
    contact_save(s, at);
    at += contact_bytes(s);
    ledger_save(&s->ledger, at);
    at += ledger_size(&s->ledger);
    for (long i = 0; i < s->event_records; i++, at += sizeof(struct saved_event)) {
        keel_event_record one = sim_recorded(s, i);
        struct saved_event flat = {one.t, number_of(s, &one), one.from, one.to, one.changed};
        memcpy(at, &flat, sizeof flat);
    }
    for (long i = 0; i < s->jumps; i++, at += sizeof(struct saved_jump)) {
        const struct sim_jump *one = &s->jump[i];
        struct saved_jump flat = {one->event_record, one->row, one->before, one->after};
        memcpy(at, &flat, sizeof flat);
    }
    uint64_t sum = sum_of(bytes, total - solver);
    memcpy((unsigned char *)bytes + offsetof(struct head, sum), &sum, sizeof sum);
    keel_save(s->solver, at, solver);
    return total;
}

/* The list of events from their numbers.  1; 0: they do not fit the model; -1: there is no memory. */
static int read_events(struct keel_sim *s, const unsigned char *at, int64_t count) {
    const struct model *model = s->m->model;
    for (int64_t i = 0; i < count; i++) {
        struct saved_event one;
        memcpy(&one, at + (size_t)i * sizeof one, sizeof one);
        if (one.from < 0 || one.from >= model->modes || one.to < 0 || one.to >= model->modes) return 0;
        const char *name = name_of(s, one.from, one.event);
        if (!name) return 0;
        if (sim_record(s, (keel_event_record){one.t, name, one.from, one.to, one.changed}) != KEEL_OK)
            return -1;
    }
    return 1;
}

/* The same of the table of jumps. */
static int read_jumps(struct keel_sim *s, const unsigned char *at, int64_t count) {
    s->jump = malloc(((size_t)count + 1) * sizeof *s->jump);
    if (!s->jump) return -1;
    s->jump_workspace = (long)count + 1;
    for (int64_t i = 0; i < count; i++) {
        struct saved_jump one;
        memcpy(&one, at + (size_t)i * sizeof one, sizeof one);
        if (one.event_record < 0 || one.event_record >= s->event_records || one.row < 0 ||
            one.row >= s->m->rows)
            return 0;
        s->jump[s->jumps++] = (struct sim_jump){(long)one.event_record, (int)one.row, one.before, one.after};
    }
    return 1;
}

/* The same of all that was saved. */
static int fill(struct keel_sim *s, const unsigned char *bytes, size_t count) {
    struct head head;
    size_t at = sizeof head;
    if (count < sizeof head) return 0;
    memcpy(&head, bytes, sizeof head);
    if (memcmp(head.magic, magic, sizeof magic) != 0 || head.check != check_of(s) || head.mode < 0 ||
        head.grown < 0 || head.groups != s->m->model->groups || (head.grown > 0 && head.groups < 2) ||
        (count - at) / sizeof(int) / (size_t)(head.groups + 1) < (size_t)head.grown || head.solver < 0 ||
        (uint64_t)head.solver > count - at || head.sum != sum_of(bytes, count - (size_t)head.solver))
        return 0;
    int grown = load_grown(s, bytes + at, head.grown);
    if (grown <= 0) return grown;
    at += (size_t)head.grown * (size_t)head.groups * sizeof(int);
    size_t numbers = numbers_of(s);
    if (head.mode >= s->m->model->modes || (size_t)head.parameters != numbers || head.event_records < 0 ||
        head.jumps < 0 || head.simultaneous < 0 || head.simultaneous > INT32_MAX / 2)
        return 0;
    s->mode = head.mode;
    if ((size_t)head.events != events_of(s) || (size_t)head.unknowns != unknowns_of(s)) return 0;
    size_t rest = count - at, wanted = (numbers + unknowns_of(s)) * sizeof(double) +
                                       events_of(s) * sizeof *s->fired + contact_bytes(s) +
                                       ledger_size(&s->ledger);
    if (rest < wanted || (rest - wanted) / sizeof(struct saved_event) < (uint64_t)head.event_records)
        return 0;
    wanted += (size_t)head.event_records * sizeof(struct saved_event);
    if ((rest - wanted) / sizeof(struct saved_jump) < (uint64_t)head.jumps) return 0;
    wanted += (size_t)head.jumps * sizeof(struct saved_jump);
    if (rest - wanted != (uint64_t)head.solver) return 0;
    if (numbers) memcpy(s->parameter, bytes + at, numbers * sizeof *s->parameter);
    at += numbers * sizeof *s->parameter;
    if (unknowns_of(s)) memcpy(s->entry, bytes + at, unknowns_of(s) * sizeof *s->entry);
    at += unknowns_of(s) * sizeof *s->entry;
    if (events_of(s)) memcpy(s->fired, bytes + at, events_of(s) * sizeof *s->fired);
    for (size_t k = 0; k < events_of(s); k++)
        if (s->fired[k].side < -1 || s->fired[k].side > 1) return 0;
    at += events_of(s) * sizeof *s->fired;
    int contacts = contact_load(s, bytes + at);
    if (contacts <= 0) return contacts;
    at += contact_bytes(s);
    if (!ledger_load(&s->ledger, bytes + at)) return 0;
    at += ledger_size(&s->ledger);
    s->entered = head.entered, s->simultaneous = head.simultaneous;
    s->simultaneous_time = head.simultaneous_time, s->direction = head.direction;
    int good = read_events(s, bytes + at, head.event_records);
    if (good <= 0) return good;
    at += (size_t)head.event_records * sizeof(struct saved_event);
    good = read_jumps(s, bytes + at, head.jumps);
    if (good <= 0) return good;
    at += (size_t)head.jumps * sizeof(struct saved_jump);
    keel_problem p = s->problem[s->mode];
    p.u0 = s->entry;
    s->solver = keel_load(&p, &s->o, bytes + at, (size_t)head.solver);
    return s->solver ? 1 : -1;
}

keel_sim *keel_sim_load(const keel_model *m, const keel_options *o, const void *bytes, size_t count) {
    struct keel_sim *s = sim_begin(m, o, NULL);
    if (!s || s->status < 0) return s;
    int good = bytes ? fill(s, bytes, count) : 0;
    if (good < 0 && s->status >= 0) sim_no_memory(s);
    else if (!good)
        sim_fail(s, KEEL_EINVAL, "the saved state is of another model, other parameters or another version");
    return s;
}
