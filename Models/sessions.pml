/*
 * Two nodes that dial each other, with connections that die silently, restarts, and sessions that are replaced.
 *
 * Node 0 has the smaller id. Each end of a connection opens, and learns of its end, in its own time.
 *
 * Checked:
 *   ONE     a node never has two connections in use with the other
 *   FRESH   a session of a restarted node is not refused in favour of one with its earlier process
 *   settle  (LTL, weak fairness) when faults stop, the two finally use the same living connection, permanently
 *
 * Mutants (each must be found):
 *   M_OLDER  M_NEWER  M_OWN  M_NO_BOOT  M_BOTH
 * Known weakness (must be found; see README.md):
 *   TWICE    one node dials two addresses of the other at once, again and again
 */

#ifndef DEATHS
#define DEATHS 1
#endif
#ifndef RESTARTS
#define RESTARTS 1
#endif
#define K 4                     /* connections at once */
#define NONE K
#define GONE 0                  /* an end that is closed, or was never there */
#define WAITS 1
#define USED 2

typedef Connection {
    byte end[2];                /* the state at each node */
    bit from;                   /* the dialling node */
    bit boot[2];                /* the process at each end */
    bool dead;                  /* nothing arrives any more */
    bool proven;                /* the initiator has sent the last message of the handshake */
};
Connection con[K];
byte entry[2] = NONE;           /* SessionArbiter.entries */
bit entryBoot[2];               /* the peer's process, as the entry has it */
bit boot[2];
bool young[2];                  /* whether the entry is so new that another channel can only be a simultaneous dial */
byte refusals[2];               /* dials of a node that were refused since the other's entry is young */
byte deaths = 0, restarts = 0;

#define FREE(c)    (con[c].end[0] == GONE && con[c].end[1] == GONE)
#define DIALS(n)   (DIALLING(n, 0) + DIALLING(n, 1) + DIALLING(n, 2) + DIALLING(n, 3))
#define DIALLING(n, c)  (con[c].from == n && con[c].end[n] == WAITS)
#define PENDING(c) (con[c].end[0] == WAITS || con[c].end[1] == WAITS)
#define QUIET      (!PENDING(0) && !PENDING(1) && !PENDING(2) && !PENDING(3))
#define SETTLED    (entry[0] < K && entry[0] == entry[1] && !con[entry[0]].dead)

inline close(c, n) {
    con[c].end[n] = GONE;
    if
    :: entry[n] == c -> entry[n] = NONE; entryBoot[n] = 0; young[n] = false; refusals[1 - n] = 0
    :: else
    fi;
    if
    :: FREE(c) -> con[c].dead = false; con[c].proven = false; con[c].from = 0; con[c].boot[0] = 0; con[c].boot[1] = 0
    :: else
    fi
}

inline take(c, n) {
    con[c].end[n] = USED;
    entry[n] = c; entryBoot[n] = con[c].boot[1 - n]; young[n] = true; refusals[1 - n] = 0
}

#define SAME_PROCESS(c, n)  (entryBoot[n] == con[c].boot[1 - n])
#define DIALLED_HERE(c, n)  (con[c].from == n)
#ifdef M_NO_BOOT
#define SIMULTANEOUS(c, n)  (DIALLED_HERE(c, n) != DIALLED_HERE(entry[n], n) && young[n])
#else
#define SIMULTANEOUS(c, n)  (SAME_PROCESS(c, n) && DIALLED_HERE(c, n) != DIALLED_HERE(entry[n], n) && young[n])
#endif
#ifdef M_OLDER
#define REFUSE(c, n)  true
#else
#ifdef M_NEWER
#define REFUSE(c, n)  false
#else
#ifdef M_OWN
#define REFUSE(c, n)  (SIMULTANEOUS(c, n) && !DIALLED_HERE(c, n))
#else
#define REFUSE(c, n)  (SIMULTANEOUS(c, n) && DIALLED_HERE(c, n) != (n == 0))
#endif
#endif
#endif

/* SessionArbiter.opened, and the reaction of SyncService.memberOpened. */
inline opened(c, n) {
    if
    :: entry[n] == NONE -> printf("node %d: keeps %d\n", n, c); take(c, n)
    :: entry[n] != NONE && REFUSE(c, n) ->
        printf("node %d: refuses %d\n", n, c);
#ifndef M_OLDER
        assert(SAME_PROCESS(c, n));                                             /* FRESH */
#endif
        if
        :: !DIALLED_HERE(c, n) && refusals[1 - n] < 2 -> refusals[1 - n]++
        :: else
        fi;
        close(c, n)
    :: entry[n] != NONE && !REFUSE(c, n) ->
        printf("node %d: replaces %d by %d\n", n, entry[n], c);
#ifdef M_BOTH
        take(c, n)
#else
        old = entry[n]; take(c, n); close(old, n)
#endif
    fi;
    old = 0;
    assert((con[0].end[n] == USED) + (con[1].end[n] == USED) + (con[2].end[n] == USED) + (con[3].end[n] == USED) < 2)
}

#ifdef TWICE
#define MAY_DIAL(n)  (entry[n] == NONE && DIALS(n) < (n == 0 -> 2 : 1) && refusals[n] < 2)
#else
#define MAY_DIAL(n)  (entry[n] == NONE && DIALS(n) == 0 && refusals[n] < 2)
#endif
#define DIAL(c, n) FREE(c) -> printf("node %d: dials %d\n", n, c); \
    con[c].from = n; con[c].end[0] = WAITS; con[c].end[1] = WAITS; con[c].boot[0] = boot[0]; con[c].boot[1] = boot[1]

/* PeerDirectory: dials while it knows of no session. After two refusals its back-off outlasts the youth of the entry. */
proctype dialler(bit n) {
    do
    :: d_step { MAY_DIAL(n) ->
        if
        :: DIAL(0, n)
        :: else ->
            if
            :: DIAL(1, n)
            :: else ->
                if
                :: DIAL(2, n)
                :: else ->
                    if
                    :: DIAL(3, n)
                    :: else
                    fi
                fi
            fi
        fi }
    od
}

/* One node's end of a connection. */
proctype side(byte c; bit n) {
    byte old;
    do
    /* The handshake is complete here: at the initiator with its last message, at the other with its arrival. */
    :: d_step { con[c].end[n] == WAITS && con[c].from == n && !con[c].dead && con[c].end[1 - n] == WAITS ->
        con[c].proven = true; opened(c, n) }
    :: d_step { con[c].end[n] == WAITS && con[c].from != n && !con[c].dead && con[c].proven -> opened(c, n) }
    /* The handshake fails. */
    :: d_step { (con[c].end[n] == WAITS && (con[c].dead || (con[c].end[1 - n] == GONE && !con[c].proven))) ->
        printf("node %d: gives up %d\n", n, c); close(c, n) }
    /* The other side's close arrives, or it was silent for too long. */
    :: d_step { con[c].end[n] == USED && (con[c].dead || con[c].end[1 - n] == GONE) ->
        printf("node %d: learns the end of %d\n", n, c); close(c, n) }
    od
}

/* Twenty seconds pass: longer than a dial takes, so no earlier dial is left. */
proctype time(bit n) {
    do
    :: d_step { entry[n] != NONE && young[n] && QUIET -> young[n] = false; refusals[1 - n] = 0 }
    od
}

inline forget(k, n) {
    if
    :: con[k].end[n] != GONE ->
        con[k].end[n] = GONE;
        if
        :: FREE(k) -> con[k].dead = false; con[k].proven = false; con[k].from = 0; con[k].boot[0] = 0; con[k].boot[1] = 0
        :: else
        fi
    :: else
    fi
}

/* Connections die silently; nodes restart. The faults may stop at any time. */
proctype faults() {
    byte c;
    do
    :: atomic { deaths < DEATHS -> select(c : 0 .. 3);
        d_step { !FREE(c) && !con[c].dead -> printf("%d dies\n", c); con[c].dead = true; deaths++; c = 0 } }
    :: atomic { restarts < RESTARTS -> select(c : 0 .. 1);
        d_step {
            printf("node %d: restarts\n", c);
            restarts++; boot[c] = 1 - boot[c];
            entry[c] = NONE; entryBoot[c] = 0; young[c] = false; refusals[1 - c] = 0; refusals[c] = 0;
            forget(0, c); forget(1, c); forget(2, c); forget(3, c); c = 0
        } }
    :: break
    od
}

/* With fairness, Spin ignores runs that end. Here no run ends, so stuck states are found. */
active proctype clock() {
    do
    :: deaths <= DEATHS
    od
}

init {
    atomic {
        run faults();
        run dialler(0); run dialler(1); run time(0); run time(1);
        run side(0, 0); run side(0, 1); run side(1, 0); run side(1, 1);
        run side(2, 0); run side(2, 1); run side(3, 0); run side(3, 1)
    }
}

ltl settle { <> [] SETTLED }
