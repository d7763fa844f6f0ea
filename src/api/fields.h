/* fields.h - options that belong to methods and stabilizers, against those in use. */
#ifndef KEEL_API_FIELDS_H
#define KEEL_API_FIELDS_H

#include <keel/stabilizer.h>

/* 1: a given option is of no use to these two (stabilizer NULL: none was asked for), with the reason. */
int fields_idle(const keel_options *o, const keel_method *stepper, const keel_method *stabilizer, char *why,
                size_t capacity);
#endif
