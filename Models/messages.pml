/*
 * Messages: from a sender's store into a durable inbox, to an application that finishes each, and back as receipts.
 *
 * Copies of messages and receipts are lost, duplicated, delayed and reordered, and are sent again as long as the two
 * stores differ. Daemons and applications are killed at any moment; one device's disk may be rolled back. The sender and its
 * disk have no faults: it only keeps messages, counts receipts and releases messages.
 *
 * Checked:
 *   FINISHED  a message whose finish is durable, or was answered, is not delivered again; on a rolled-back disk: a message
 *             whose own receipt has come back and states that
 *   KEPT      the sender releases a message only when it was in the inbox of every recipient
 *   HONEST    the sender shows neither delivered nor read before that is durable, and never an earlier state afterwards
 *   ONCE      a message is entered into an inbox once
 *   settle    (LTL, weak fairness) in the end each message is finished on each device, and shown as read; or it is one that
 *             the sender had released when the disk was rolled back to before its arrival
 *
 * Bounds:      MESSAGES or DEVICES may be 2; CRASHES (of daemons and applications), LOSSES and COPIES (duplicates),
 *              SETBACKS (of the first device's disk)
 * Variant:     ALONE  a device whose disk was rolled back continues by itself, before it meets any peer
 * Mutants (each must be found):
 *   M_DROP  M_ANY  M_CURSOR_FIRST  M_EARLY  M_ANSWERED  M_TWICE  M_LAST  M_BACK_ENTRY  M_BACK_ROW
 * Limit (must be found; see README.md):
 *   LIMIT   a device whose disk was rolled back needs a message that the sender has released
 */

#ifndef MESSAGES
#define MESSAGES 2
#endif
#ifndef DEVICES
#define DEVICES 1
#endif
#ifndef CRASHES
#define CRASHES 1
#endif
#ifndef LOSSES
#define LOSSES 1
#endif
#ifndef COPIES
#define COPIES 1
#endif
#ifndef SETBACKS
#define SETBACKS 0
#endif

/* The states of a receipt, and those that the sender shows. */
#define QUEUED    0
#define DELIVERED 1
#define READ      2
/* A row of the inbox. */
#define NONE     0
#define WAITING  1
#define FINISHED 2
/* The open transaction of a daemon: one at a time, and nothing else is written meanwhile. */
#define IDLE   0
#define BATCH  1
#define FINISH 2
/* The state of an application's request to finish. */
#define SILENT   0
#define ASKED    1
#define ANSWERED 2

typedef Disk {
    bit has[MESSAGES];       /* the message's record */
    byte receipt[MESSAGES];  /* this device's receipt of it */
    byte row[MESSAGES];      /* its row in the inbox */
    byte entries[MESSAGES];  /* how often it was entered */
    byte feed;               /* changes behind the cursor, as bits; any part of them may be a batch */
};
#if SETBACKS > 0
#define BACKUP DEVICES
Disk disk[DEVICES + 1];
bool backed = false;
#else
Disk disk[DEVICES];
#endif

bit held[MESSAGES] = 1;      /* the sender still has the message */
byte shown[DEVICES * MESSAGES];

byte open[DEVICES];          /* IDLE, BATCH, FINISH */
byte part[DEVICES];          /* of a batch: its messages as bits; of a finish: the message */
byte work[DEVICES];          /* the message that the application works on, plus one; 0 is none */
byte saying[DEVICES];        /* SILENT, ASKED, ANSWERED */
bit met[DEVICES] = 1;        /* the device has got its peer's state since its disk was rolled back */

/* Facts that were durable at some time, for the checks. */
bit entered[DEVICES * MESSAGES];
bit read[DEVICES * MESSAGES];
bit done[DEVICES * MESSAGES];  /* must not be delivered any more */

byte crashes = 0, losses = 0, copies = 0, setbacks = 0;

/* Records under way, in no order. Receipts are bits: DELIVERED, READ. */
bit sent[DEVICES * MESSAGES];       /* the message */
byte returned[DEVICES * MESSAGES];  /* the device's own receipts at the sender */
byte told[DEVICES * MESSAGES];      /* receipts */

#if DEVICES > 1 && MESSAGES > 1
#error one of DEVICES and MESSAGES has to be 1
#endif
#if DEVICES > 1
#define EACH_PLACE(step)   :: step(0, 0) :: step(1, 0)
#elif MESSAGES > 1
#define EACH_PLACE(step)   :: step(0, 0) :: step(0, 1)
#else
#define EACH_PLACE(step)   :: step(0, 0)
#endif
#if MESSAGES > 1
#define EACH_MESSAGE(step) :: step(d, 0) :: step(d, 1)
#else
#define EACH_MESSAGE(step) :: step(d, 0)
#endif
#define FIRST_DAEMON  1      /* behind the sender */
#define AT(d, m)    ((d) * MESSAGES + (m))
#define BIT(m)      (1 << (m))
#define IN(set, m)  (((set) >> (m)) & 1)

#ifdef M_EARLY
#define TOLD(d, m)  ((open[d] == BATCH && IN(part[d], m) && disk[d].receipt[m] == QUEUED -> DELIVERED : disk[d].receipt[m]))
#else
#define TOLD(d, m)  disk[d].receipt[m]
#endif
#if DEVICES == 1
#define ARRIVED(m)  (shown[AT(0, m)] != QUEUED)
#define KEPT(m)     (entered[AT(0, m)])
#else
#ifdef M_ANY
#define ARRIVED(m)  (shown[AT(0, m)] != QUEUED || shown[AT(1, m)] != QUEUED)
#else
#define ARRIVED(m)  (shown[AT(0, m)] != QUEUED && shown[AT(1, m)] != QUEUED)
#endif
#define KEPT(m)     (entered[AT(0, m)] && entered[AT(1, m)])
#endif

inline letGo(m) {
    printf("sender: releases %d\n", m);
    held[m] = 0;
    assert(KEPT(m))
}

#ifdef M_DROP
#define LET_GO_OF_SENT(m)  letGo(m)
#else
#define LET_GO_OF_SENT(m)  skip
#endif
#ifdef M_LAST
#define COUNT(d, m, s)  shown[AT(d, m)] = s
#else
#define COUNT(d, m, s)  shown[AT(d, m)] = (s > shown[AT(d, m)] -> s : shown[AT(d, m)])
#endif

/* The stores differ: a record is sent, and sent again. */
#define SEND(d, m)  d_step { held[m] && !disk[d].has[m] && !sent[AT(d, m)] -> \
    printf("sender: sends %d to %d\n", m, d); sent[AT(d, m)] = 1; LET_GO_OF_SENT(m) }
#define RETURN(d, m)  d_step { shown[AT(d, m)] > disk[d].receipt[m] && !(returned[AT(d, m)] & shown[AT(d, m)]) -> \
    printf("sender: sends %d its receipt of %d\n", d, m); \
    returned[AT(d, m)] = returned[AT(d, m)] | shown[AT(d, m)] }
#define COUNT_ONE(d, m, s)  d_step { told[AT(d, m)] & s -> \
    printf("sender: takes receipt %d of %d from %d\n", s, m, d); \
    assert(entered[AT(d, m)] && (s < READ || read[AT(d, m)]));                  /* HONEST */ \
    assert(s >= shown[AT(d, m)] || KEEPS_BEST);                                 /* HONEST */ \
    told[AT(d, m)] = told[AT(d, m)] & ~s; COUNT(d, m, s) }
#define COUNT_DELIVERED(d, m)  COUNT_ONE(d, m, DELIVERED)
#define COUNT_READ(d, m)       COUNT_ONE(d, m, READ)
#ifdef M_LAST
#define KEEPS_BEST  false
#else
#define KEEPS_BEST  true
#endif

active proctype sender() {
    do
    EACH_PLACE(SEND)
    EACH_PLACE(RETURN)
    EACH_PLACE(COUNT_DELIVERED)
    EACH_PLACE(COUNT_READ)
    :: d_step { held[0] && ARRIVED(0) -> letGo(0) }
#if MESSAGES > 1
    :: d_step { held[1] && ARRIVED(1) -> letGo(1) }
#endif
    od
}

/* A batch is committed: its effect on one message. */
inline enter(d, m) {
    if
    :: !IN(part[d], m)
    :: IN(part[d], m) ->
        if
#ifdef M_TWICE
        :: disk[d].has[m] ->
#else
        :: disk[d].has[m] && disk[d].row[m] == NONE ->
#endif
            disk[d].entries[m]++; assert(disk[d].entries[m] == 1);              /* ONCE */
            entered[AT(d, m)] = 1;
            if
#ifndef M_BACK_ENTRY
            :: disk[d].receipt[m] == READ -> disk[d].row[m] = FINISHED
#endif
            :: else -> disk[d].row[m] = WAITING; disk[d].receipt[m] = DELIVERED
            fi
#ifndef M_BACK_ROW
        :: disk[d].row[m] == WAITING && disk[d].receipt[m] == READ -> disk[d].row[m] = FINISHED
#endif
        :: else
        fi;
        if
        :: disk[d].row[m] != NONE && disk[d].receipt[m] == READ -> done[AT(d, m)] = 1
        :: else
        fi
    fi
}

/* A record of the peer, in a transaction of its own. From here on a new message's own receipt is known. */
inline apply(d, m, s) {
    if
    :: s == QUEUED -> disk[d].has[m] = 1
    :: s > disk[d].receipt[m] -> disk[d].receipt[m] = s
    :: else
    fi;
    if
    :: disk[d].receipt[m] == READ && disk[d].row[m] == NONE -> done[AT(d, m)] = 1
    :: else
    fi;
    disk[d].feed = disk[d].feed | BIT(m)
}

#define TAKE(d, m)  d_step { open[d] == IDLE && sent[AT(d, m)] -> \
    printf("device %d: takes %d\n", d, m); sent[AT(d, m)] = 0; apply(d, m, QUEUED) }
#define TAKE_ONE(d, m, s)  d_step { open[d] == IDLE && (returned[AT(d, m)] & s) -> \
    printf("device %d: takes its receipt %d of %d\n", d, s, m); \
    returned[AT(d, m)] = returned[AT(d, m)] & ~s; apply(d, m, s) }
#define TAKE_DELIVERED(d, m)  TAKE_ONE(d, m, DELIVERED)
#define TAKE_READ(d, m)       TAKE_ONE(d, m, READ)
/* The feed is read, and its batch entered, in one transaction. */
#define READ_FEED(d, set)  d_step { open[d] == IDLE && met[d] && set != 0 && (disk[d].feed & set) == set -> \
    open[d] = BATCH; part[d] = set; \
    printf("device %d: reads %d of its feed\n", d, part[d]); CURSOR_FIRST(d) }
#ifdef M_CURSOR_FIRST
#define CURSOR_FIRST(d)  disk[d].feed = disk[d].feed & ~part[d]
#else
#define CURSOR_FIRST(d)  skip
#endif
/* The stores differ: a receipt is sent, and sent again. */
#define SAY(d, m)  d_step { TOLD(d, m) > shown[AT(d, m)] && !(told[AT(d, m)] & TOLD(d, m)) -> \
    printf("device %d: sends receipt %d of %d\n", d, TOLD(d, m), m); \
    told[AT(d, m)] = told[AT(d, m)] | TOLD(d, m) }

active [DEVICES] proctype daemon() {
    byte m, s, d = _pid - FIRST_DAEMON;
    do
    EACH_MESSAGE(TAKE)
    EACH_MESSAGE(TAKE_DELIVERED)
    EACH_MESSAGE(TAKE_READ)
    /* After a rollback it first gets all records of the peer. */
    :: d_step { open[d] == IDLE && !met[d] ->
        printf("device %d: meets its peer\n", d);
        met[d] = 1;
        do
        :: m < MESSAGES ->
            if
            :: held[m] && !disk[d].has[m] -> apply(d, m, QUEUED)
            :: else
            fi;
            if
            :: shown[AT(d, m)] > disk[d].receipt[m] -> s = shown[AT(d, m)]; apply(d, m, s); s = 0
            :: else
            fi;
            m++
        :: else -> break
        od;
        m = 0 }
    :: READ_FEED(d, 1)
#if MESSAGES > 1
    :: READ_FEED(d, 2)
    :: READ_FEED(d, 3)
#endif
    :: d_step { open[d] == BATCH ->
        printf("device %d: commits %d\n", d, part[d]);
        enter(d, 0);
#if MESSAGES > 1
        enter(d, 1);
#endif
#ifndef M_CURSOR_FIRST
        disk[d].feed = disk[d].feed & ~part[d];
#endif
        open[d] = IDLE; part[d] = 0 }
    :: d_step { open[d] == FINISH ->
        m = part[d];
        printf("device %d: finishes %d\n", d, m);
        disk[d].row[m] = FINISHED; disk[d].receipt[m] = READ; read[AT(d, m)] = 1; done[AT(d, m)] = 1;
        saying[d] = (saying[d] == ASKED -> ANSWERED : saying[d]);
        open[d] = IDLE; part[d] = 0; m = 0 }
    EACH_MESSAGE(SAY)
    od
}

/* Any waiting message: the application does not depend on an order. */
#define HAND(d, m)  d_step { work[d] == 0 && disk[d].row[m] == WAITING -> \
    printf("application %d: receives %d\n", d, m); \
    assert(!done[AT(d, m)]);                                                    /* FINISHED */ \
    work[d] = m + 1 }

active [DEVICES] proctype application() {
    byte m, d = _pid - FIRST_DAEMON - DEVICES;
    do
    EACH_MESSAGE(HAND)
    :: d_step { work[d] != 0 && saying[d] == SILENT && open[d] == IDLE ->
        m = work[d] - 1;
        printf("application %d: finishes %d\n", d, m);
        if
        :: disk[d].row[m] == WAITING ->
            open[d] = FINISH; part[d] = m; saying[d] = ASKED;
#ifdef M_ANSWERED
            saying[d] = ANSWERED; done[AT(d, m)] = 1
#endif
        /* It was finished, or it is unknown here by now: both are answers. */
        :: else -> saying[d] = ANSWERED
        fi;
        m = 0 }
    :: d_step { saying[d] == ANSWERED -> saying[d] = SILENT; work[d] = 0 }
    od
}

inline copyDisk(from, to) {
    do
    :: m < MESSAGES ->
        disk[to].has[m] = disk[from].has[m]; disk[to].receipt[m] = disk[from].receipt[m];
        disk[to].row[m] = disk[from].row[m]; disk[to].entries[m] = disk[from].entries[m];
        m++
    :: else -> break
    od;
    disk[to].feed = disk[from].feed;
    m = 0
}

inline kill(d) { open[d] = IDLE; part[d] = 0; saying[d] = SILENT }

#define KILL(d)  d_step { crashes < CRASHES && (open[d] != IDLE || saying[d] != SILENT) -> \
    printf("device %d: its daemon is killed\n", d); crashes++; kill(d) }
#define ABANDON(d)  d_step { crashes < CRASHES && work[d] != 0 -> \
    printf("device %d: its application is killed\n", d); crashes++; work[d] = 0; saying[d] = SILENT }
#define LOSE(d, m)  d_step { losses < LOSSES && (sent[AT(d, m)] || told[AT(d, m)]) -> \
    printf("device %d: copies are lost\n", d); losses++; sent[AT(d, m)] = 0; told[AT(d, m)] = 0; returned[AT(d, m)] = 0 }
#define COPY(d, m)  d_step { copies < COPIES && !sent[AT(d, m)] && disk[d].has[m] -> \
    printf("device %d: a copy of %d arrives again\n", d, m); copies++; sent[AT(d, m)] = 1 }
#define COPY_RECEIPT(d, m)  d_step { copies < COPIES && !(told[AT(d, m)] & DELIVERED) && shown[AT(d, m)] != QUEUED -> \
    printf("sender: the first receipt of %d from %d comes again\n", m, d); copies++; \
    told[AT(d, m)] = told[AT(d, m)] | DELIVERED }

/* The faults. They may stop at any time. */
active proctype faults() {
    byte m;
    do
    :: KILL(0)
    :: ABANDON(0)
#if DEVICES > 1
    :: KILL(1)
    :: ABANDON(1)
#endif
    EACH_PLACE(LOSE)
    EACH_PLACE(COPY)
    EACH_PLACE(COPY_RECEIPT)
#if SETBACKS > 0
    :: d_step { !backed -> printf("device 0: is backed up\n"); backed = true; copyDisk(0, BACKUP) }
    :: d_step { backed && setbacks < SETBACKS ->
        printf("device 0: is rolled back\n");
        setbacks++; kill(0); work[0] = 0; copyDisk(BACKUP, 0);
#ifndef ALONE
        met[0] = 0;
#endif
        do
        :: m < MESSAGES -> done[AT(0, m)] = (disk[0].row[m] == FINISHED); m++
        :: else -> break
        od;
        m = 0 }
#endif
    /* With fairness, Spin ignores runs that end. Here no run ends, so a stuck message is found. */
    :: crashes <= CRASHES
    od
}

#if SETBACKS > 0 && !defined(LIMIT)
#define LOST(d, m)  (!held[m] && !disk[d].has[m])
#else
#define LOST(d, m)  false
#endif
#define ENDED(d, m) ((disk[d].row[m] == FINISHED && shown[AT(d, m)] == READ) || LOST(d, m))
#if DEVICES > 1
#define SETTLED (ENDED(0, 0) && ENDED(1, 0))
#elif MESSAGES > 1
#define SETTLED (ENDED(0, 0) && ENDED(0, 1))
#else
#define SETTLED ENDED(0, 0)
#endif
ltl settle { <> [] SETTLED }
