/*
 * Mailboxes: a sender's operations reach a device that it never meets, in parcels that a relay keeps, and the sender learns of that
 * by a parcel of the device.
 *
 * Each parcel holds one operation of the sender's log. Sender and device are killed between any two steps; the relay loses parcels, and
 * delivers removed ones again. A parcel that does not fit, since one before it is missing, stays at the relay.
 *
 * Checked:
 *   TRUE    operations regarded as acknowledged are on the device
 *   KEPT    the sender drops its note of a parcel only when the device has the operation
 *   ORDER   no operation is applied before its predecessors
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
byte left = 0;            /* the size of its log that it has left */
byte acknowledged = 0;    /* the size that the device has, by its knowledge */
bit row[WRITES];          /* notes of parcels that are left and not acknowledged */
/* The sender's memory: a parcel that the relay has and that it has not noted. */
bit noting = 0;

/* The relay. */
bit parcel[WRITES];       /* parcels that wait for the device */
bit removed[WRITES];      /* parcels that it could deliver again */
byte said = 0;            /* the newest acknowledgement that waits for the sender; 0 = none */

/* The device's disk and memory. */
byte size = 0;            /* the size of the log that it has */
bit owed = 0;             /* a parcel was taken and not acknowledged */
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
    /* The check finds parcels that were noted after their acknowledgement. */
    :: d_step { row[0] && acknowledged > 0 -> FORGET(0) skip }
#if WRITES > 1
    :: d_step { row[1] && acknowledged > 1 -> FORGET(1) skip }
#endif
    /* The check: parcels that are gone and not acknowledged are left again, with all later ones. */
    :: d_step { row[0] && !parcel[0] && !noting && acknowledged <= 0 -> LEAVE_AGAIN(0) }
#if WRITES > 1
    :: d_step { row[1] && !parcel[1] && !noting && acknowledged <= 1 -> LEAVE_AGAIN(1) }
#endif
    od
}

/* At some time the sender takes the waiting acknowledgement, and the device sends the acknowledgement that it owes. */
active proctype ears() {
    do
    :: d_step { said > 0 ->
        printf("sender: learns of %d\n", said);
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
    :: d_step { owed -> printf("device: acknowledges %d\n", size); said = size; owed = 0 }
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
    :: d_step { losses < LOSSES && said > 0 -> printf("relay: loses the acknowledgement\n"); losses++; said = 0 }
    :: d_step { crashes < CRASHES -> printf("sender: is killed\n"); crashes++; noting = 0 }
    /* It owes an acknowledgement again once it takes a parcel: parcels that were not removed are still there. */
    :: d_step { crashes < CRASHES -> printf("device: is killed\n"); crashes++; taken = 0; owed = 0 }
    /* With fairness, Spin ignores runs that end. Here no run ends, so stuck operations are found. */
    :: crashes <= CRASHES
    od
}

#define SETTLED (size == WRITES && acknowledged == WRITES)
ltl settle { <> [] SETTLED }
