/* choose.h - which stepper and which stabilizer the options mean. */
#ifndef KEEL_API_CHOOSE_H
#define KEEL_API_CHOOSE_H

#include <keel/stabilizer.h>

/* NULL with the reason in text. */
const keel_stepper *choose_stepper(const keel_options *o, char *text, size_t capacity);
/* *asked: the one that the options name, NULL: none.  0 with the reason in text. */
int choose_stabilizer(const keel_options *o, const keel_stabilizer **asked, char *text, size_t capacity);
/* Where they name none. */
const keel_stabilizer *choose_default(const keel_problem *p, const keel_options *o,
                                      const keel_stepper *stepper);
#endif
