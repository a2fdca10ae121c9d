// Selects the mutant that is active in a process. Each mutant of an instrumented file calls one of these functions with its number.
#pragma once
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// The number in KAIRAN_MUTANT, or -1.
extern int32_t kairan_mutation_selected;
// A byte for each mutant, set when the mutant is reached; NULL unless KAIRAN_MUTANT_TRACE names the file that holds them.
extern uint8_t *kairan_mutation_reached;
extern size_t kairan_mutation_reached_size;

// Whether a mutant is active.
static inline bool kairanMutant(int32_t number) {
    if (__builtin_expect(kairan_mutation_reached != NULL, 0)) {
        if ((size_t)number < kairan_mutation_reached_size) kairan_mutation_reached[number] = 1;
    }
    return number == kairan_mutation_selected;
}

// The value, or its negation while a mutant is active.
static inline bool kairanFlipped(int32_t number, bool value) { return kairanMutant(number) != value; }
