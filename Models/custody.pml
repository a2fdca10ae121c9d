/*
 * Custody: a payload from a sender to devices that are never on at the same time, by way of a relay.
 *
 * Sender and devices connect only to the relay, at different times. The relay is killed at any moment, its disk is rolled back
 * to a state without the payload, or its custody expires. The message's record and receipts reach every party in the end,
 * also over the relay: they are the subject of messages.pml.
 *
 * Checked:
 *   KEPT      the sender releases the payload only when every recipient has it
 *   PROMISED  the relay promises a payload only when all of it is on its disk
 *   TRUE      the sender shows a message as delivered only if the device has it, and as relayed if a relay has it
 *   settle    (LTL, weak fairness) in the end each device has the payload, and the sender knows
 *
 * Bounds:   DEVICES may be 2; CRASHES, LOSSES (of the relay's disk, or of the time of a promise), CUTS (of sessions with the sender)
 * Mutants (each must be found):
 *   M_DROP  M_EARLY  M_DELIVERED  M_ONCE  M_FIRST
 */

#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef CUTS
#define CUTS 1
#endif

/* The relay's state of the payload. */
#define NOTHING 0
#define WANTED  1
#define PRESENT 2
/* The state that the sender shows for a device. */
#define QUEUED    0
#define RELAYED   1
#define DELIVERED 2

/* The sender. */
bit held = 1;             /* it has the payload */
bit promised = 0;         /* a relay has promised it, by the sender's knowledge */
bit asked = 0;            /* it has asked in this session; with M_ONCE, ever */
bit counted[DEVICES];     /* a receipt has arrived */

/* The relay. */
byte kept = NOTHING;      /* on its disk */
bit writing = 0;          /* the transaction with the last chunk is open */
bit receipts[DEVICES];    /* receipts that it has, as records */

/* The devices. */
bit has[DEVICES];         /* the payload, with which the receipt is written */

/* Messages under way between sender and relay in their session. */
bit request = 0, stored = 0, release = 0;

byte crashes = 0, losses = 0, cuts = 0;

#if DEVICES > 1
#define ALL(set)  (set[0] && set[1])
#ifdef M_FIRST
#define IS_SETTLED  (counted[0] || counted[1])
#else
#define IS_SETTLED  ALL(counted)
#endif
#define EACH_DEVICE(step)  :: step(0) :: step(1)
#else
#define ALL(set)  (set[0])
#define IS_SETTLED  counted[0]
#define EACH_DEVICE(step)  :: step(0)
#endif

#ifdef M_DELIVERED
#define SHOWN(d)  (counted[d] || promised -> DELIVERED : QUEUED)
#else
#define SHOWN(d)  (counted[d] -> DELIVERED : (promised -> RELAYED : QUEUED))
#endif

inline letGo() {
    printf("sender: releases the payload\n");
    held = 0;
    assert(ALL(has))                                                            /* KEPT */
}

#define COUNT(d)  d_step { receipts[d] && !counted[d] -> \
    printf("sender: takes the receipt of %d\n", d); counted[d] = 1; \
    assert(SHOWN(d) != DELIVERED || has[d]) }                                   /* TRUE */

active proctype sender() {
    do
    :: d_step { held && !IS_SETTLED && !asked ->
        printf("sender: asks the relay\n"); request = 1; asked = 1 }
    :: d_step { stored ->
        printf("sender: gets the promise\n"); stored = 0; promised = 1;
#ifdef M_DROP
        letGo();
#endif
#ifdef M_DELIVERED
        assert(ALL(has));                                                       /* TRUE */
#endif
        skip }
    EACH_DEVICE(COUNT)
    :: d_step { IS_SETTLED && promised && !release ->
        printf("sender: releases the relay\n"); release = 1; promised = 0 }
    :: d_step { ALL(counted) && held -> letGo() }
    od
}

active proctype relay() {
    do
    :: d_step { request && !writing ->
        request = 0;
        if
        :: kept == PRESENT -> printf("relay: has it already\n"); stored = 1
        :: else -> printf("relay: wants it\n"); kept = WANTED
        fi }
    /* Chunks arrive one by one; only the last one matters. */
    :: d_step { kept == WANTED && !writing && held ->
        printf("relay: receives it\n"); writing = 1;
#ifdef M_EARLY
        stored = 1; assert(kept == PRESENT);                                    /* PROMISED */
#endif
        skip }
    :: d_step { writing ->
        printf("relay: has it on its disk\n"); writing = 0; kept = PRESENT;
        stored = 1; assert(kept == PRESENT) }                                   /* PROMISED */
    :: d_step { release ->
        printf("relay: releases it\n"); release = 0; kept = NOTHING; writing = 0 }
    od
}

#define FETCH(d)  d_step { kept == PRESENT && !has[d] -> \
    printf("device %d: has it from the relay\n", d); has[d] = 1 }
#define SAY(d)  d_step { has[d] && !receipts[d] -> \
    printf("device %d: sends its receipt to the relay\n", d); receipts[d] = 1 }

active proctype devices() {
    do
    EACH_DEVICE(FETCH)
    EACH_DEVICE(SAY)
    od
}

inline endSession() {
    request = 0; stored = 0; release = 0;
#ifndef M_ONCE
    asked = 0
#endif
}

active proctype faults() {
    do
    :: d_step { crashes < CRASHES -> printf("relay: is killed\n"); crashes++; writing = 0; endSession() }
    :: d_step { losses < LOSSES && kept != NOTHING ->
        printf("relay: has lost it\n"); losses++; kept = NOTHING; writing = 0;
        /* Such a disk comes with a restart, and receipts come again from their holders; custody expires outside of sessions. */
        receipts[0] = 0;
#if DEVICES > 1
        receipts[1] = 0;
#endif
        endSession() }
    :: d_step { cuts < CUTS -> printf("their session ends\n"); cuts++; endSession() }
    /* With fairness, Spin ignores runs that end. Here no run ends, so a stuck payload is found. */
    :: crashes <= CRASHES
    od
}

#define SETTLED (ALL(has) && ALL(counted) && !held)
ltl settle { <> [] SETTLED }
