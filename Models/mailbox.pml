/*
 * Mailboxes: what a sender has written comes to a device that it never meets, in parcels that a relay keeps, and the sender hears of it
 * by a parcel of the device's.
 *
 * Each parcel holds one operation of the sender's log. Sender and device are killed between any two steps; the relay loses parcels, and
 * hands out again what was taken. A parcel that does not fit, since one before it is missing, stays where it is.
 *
 * Checked:
 *   TRUE    what counts as acknowledged is on the device
 *   KEPT    the sender forgets that it left something only when the device has it
 *   ORDER   nothing is taken in before what comes before it
 *   settle  (LTL, weak fairness) in the end the device has everything, and the sender knows
 *
 * Bounds:   WRITES (operations), LOSSES (of parcels), REPLAYS (of removed ones), CRASHES (of either side)
 * Mutants (each must be found):
 *   M_PROMISE  M_LEAVE_ONCE  M_ONE_ALONE  M_NEWS_ONLY
 */

#ifndef WRITES
#define WRITES 2
#endif
#ifndef LOSSES
#define LOSSES 2
#endif
#ifndef REPLAYS
#define REPLAYS 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

/* The sender's disk. */
byte left = 0;            /* up to where it has left its log */
byte acknowledged = 0;    /* up to where it knows that the device has it */
bit row[WRITES];          /* that it left a parcel, which is not acknowledged */
/* The sender's memory: a parcel that the relay has and that it has not noted. */
bit noting = 0;

/* The relay. */
bit parcel[WRITES];       /* what waits for the device */
bit removed[WRITES];      /* what it could hand out again */
byte said = 0;            /* the newest acknowledgement that waits for the sender; 0 = none */

/* The device's disk and memory. */
byte size = 0;            /* up to where it has the log */
bit owed = 0;             /* something was taken and not acknowledged */
bit taken = 0;            /* a parcel was committed and is not removed yet */
byte which = 0;

byte losses = 0, replays = 0, crashes = 0;

#if defined(M_LEAVE_ONCE)
#define LEAVE_AGAIN(i)  skip
#elif defined(M_ONE_ALONE)
#define LEAVE_AGAIN(i)  row[i] = 0; parcel[i] = (i + 1 == left); row[i] = parcel[i]
#else
#define LEAVE_AGAIN(i)  row[i] = 0; left = (left < i -> left : i)
#endif

#define FORGET(i)  if :: row[i] && acknowledged > i -> row[i] = 0; assert(size > i) :: else fi;   /* KEPT */

active proctype sender() {
    do
    :: d_step { left < WRITES && !noting ->
        printf("sender: leaves %d\n", left); parcel[left] = 1; removed[left] = 0; noting = 1 }
    :: d_step { noting ->
        printf("sender: notes %d\n", left); noting = 0; row[left] = 1; left++;
#ifdef M_PROMISE
        acknowledged = left;
        assert(acknowledged <= size)                                            /* TRUE */
#endif
        }
    :: d_step { !noting && left < acknowledged -> left = acknowledged }
    /* What was noted after it was acknowledged is found by the check. */
    :: d_step { row[0] && acknowledged > 0 -> FORGET(0) skip }
#if WRITES > 1
    :: d_step { row[1] && acknowledged > 1 -> FORGET(1) skip }
#endif
    /* The check: what is gone and not acknowledged is left again, with what is behind it. */
    :: d_step { row[0] && !parcel[0] && !noting && acknowledged <= 0 -> LEAVE_AGAIN(0) }
#if WRITES > 1
    :: d_step { row[1] && !parcel[1] && !noting && acknowledged <= 1 -> LEAVE_AGAIN(1) }
#endif
    od
}

/* What waits for the sender it takes at some time, whatever else it does; so does the device say what it owes. */
active proctype ears() {
    do
    :: d_step { said > 0 ->
        printf("sender: hears of %d\n", said);
        if
        :: said > acknowledged -> acknowledged = said
        :: else
        fi;
        said = 0;
        assert(acknowledged <= size);                                           /* TRUE */
        FORGET(0)
#if WRITES > 1
        FORGET(1)
#endif
        skip }
    od
}

#define TAKE(i)  d_step { parcel[i] && !taken && size >= i -> \
    printf("device: takes %d\n", i); \
    if :: size == i -> size = i + 1; owed = 1 :: else -> HELD fi; \
    assert(size > i); which = i; taken = 1 }                                    /* ORDER */

#ifdef M_NEWS_ONLY
#define HELD  skip
#else
#define HELD  owed = 1
#endif

active proctype device() {
    do
    :: TAKE(0)
#if WRITES > 1
    :: TAKE(1)
#endif
    :: d_step { taken -> printf("device: removes %d\n", which); parcel[which] = 0; removed[which] = 1; taken = 0 }
    od
}

active proctype mouth() {
    do
    :: d_step { owed -> printf("device: says %d\n", size); said = size; owed = 0 }
    od
}

#define LOSE(i)    d_step { losses < LOSSES && parcel[i] -> printf("relay: loses %d\n", i); losses++; parcel[i] = 0 }
#define REPLAY(i)  d_step { replays < REPLAYS && removed[i] -> \
    printf("relay: has %d again\n", i); replays++; removed[i] = 0; parcel[i] = 1 }

active proctype faults() {
    do
    :: LOSE(0)
    :: REPLAY(0)
#if WRITES > 1
    :: LOSE(1)
    :: REPLAY(1)
#endif
    :: d_step { losses < LOSSES && said > 0 -> printf("relay: loses what was said\n"); losses++; said = 0 }
    :: d_step { crashes < CRASHES -> printf("sender: is killed\n"); crashes++; noting = 0 }
    /* What it owed it owes again once it takes something: what is not removed is there. */
    :: d_step { crashes < CRASHES -> printf("device: is killed\n"); crashes++; taken = 0; owed = 0 }
    /* With fairness Spin takes no notice of a run that ends. Here none ends, so what is stuck is found. */
    :: crashes <= CRASHES
    od
}

#define SETTLED (size == WRITES && acknowledged == WRITES)
ltl settle { <> [] SETTLED }
