/*
 * Incarnations under restore, clone and crash.
 *
 * One device whose state directory may be restored, cloned to a second machine and crashed at any moment; two peers
 * that hold beginnings of its logs. A log is a number of octal digits: digit k is the operation with counter k+1.
 *
 * Checked, with the faults that hold for each (see README.md):
 *   REUSE   a number that some peer holds is not assigned to another operation: always under RECOVERABLE faults; under
 *           UNTRACED ones from the moment at which a peer has shown that the store is behind
 *   CRASH   a crash alone never costs an incarnation, and neither does a peer's lie
 *   KEPT    operations of a peer stay there, and are in every store once all have met, or their log is proven to be forked
 *   FORK    once all have met, each log is equal everywhere, or every holder of a part of it has the proof
 *   ONWARD  once all have met, every store writes under an incarnation whose log is not forked, and all get the write
 *
 * Faults:      -DRECOVERABLE  process crash, restore of the store alone or of the whole directory, loss of the store,
 *                             clone of the files
 *              -DUNTRACED     power loss, restore and clone of the whole block device
 *              -DLIE          beside either: a peer returns heads that the device did not sign
 * Mutants (each must be found):
 *   M_SENTINEL_FIRST  M_NO_AHEAD  M_NO_MACHINE  M_NO_INCARNATION  M_SEND_FIRST  M_NO_STATEMENT  M_NO_PROOF
 *   M_FORK_STAYS  M_OLD_LIFE  M_TRUNCATE  M_LOSS_IS_NEW  M_BELIEVE (with -DLIE)
 */

#define NI 7               /* incarnations 1 .. NI-1 */
#define NC 4               /* operations of one log at most */
#ifndef WRITES
#define WRITES 3
#endif
#ifndef FAULTS
#define FAULTS 3
#endif
#ifndef BACKUPS
#define BACKUPS 2
#endif

#ifdef M_SEND_FIRST
#define MAY_SEND(m)  true
#else
#define MAY_SEND(m)  (!pendingNote[m])
#endif

/* A process that is killed between commit and sentinel leaves one commit that the sentinel lacks. If the directory is then
 * copied to another machine, and the first machine gets an older store, both continue with the same number, and the first
 * cannot detect it. Only the fork proof remains; -DWINDOW shows that it is needed. */
#ifdef WINDOW
#define MAY_COPY  true
#else
#define MAY_COPY  (sC[0] == cn[0] && sI[0] == inc[0])
#endif

/* A size in a head that the device did not sign. */
#define FORGED  8
#ifdef M_BELIEVE
#define IS_VALID(size)  true
#else
#define IS_VALID(size)  ((size) != FORGED)
#endif

#define EITHER_PEER  if :: p = 4 :: p = 5 fi
#define ANY_BACKUP   if :: p = 2 :: backups > 1 -> p = 3 fi

/* Holders: machines 0 and 1, backups 2 and 3, peers 4 and 5. */
#define HOLDERS 6
short lg[42];              /* HOLDERS * NI */
byte inc[4];               /* the incarnation that writes; 0 = no store */
byte cn[4];                /* the store's commits */
byte forked[HOLDERS];      /* bit i: the log of incarnation i is proven to be forked */
byte sI[4], sC[4], sM[4];  /* sentinel: incarnation (0 = none), commit, machine */
byte oI[2], oC[2], oM[2];  /* the oldest sentinel that the disk may hold */
byte mark[4];              /* machine's name with the marks of the key file */
bool up[2], exists[2];
bool pendingNote[2];      /* durable, and not announced yet */
byte stated[2];            /* a size that a peer stated and that was not processed yet */
byte told[2];              /* the incarnation that a peer has shown to be behind */

byte fresh = 2, marks = 2, op = 1, faults = 0, backups = 0;
bool wasSetBack = false;   /* anything but a crash has happened */
byte kept[2];              /* operations that a peer has held, as bits */

#define L(h, i)      lg[(h) * NI + (i)]
#define SIZE(v)      ((v) == 0 -> 0 : ((v) < 8 -> 1 : ((v) < 64 -> 2 : ((v) < 512 -> 3 : 4))))
#define MASK(s)      ((1 << (3 * (s))) - 1)
#define LESS(a, b)   ((a) < (b) -> (a) : (b))
#define AGREE(u, v)  (((u) & MASK(LESS(SIZE(u), SIZE(v)))) == ((v) & MASK(LESS(SIZE(u), SIZE(v)))))
#define FORKED(h, i) ((forked[h] >> (i)) & 1)

/* Random incarnations do not collide; runs of the model that need more than there are are not explored. */
inline renew(m) { (fresh < NI); inc[m] = fresh; fresh++; told[m] = 0 }

inline copyStore(from, to) {
    x = 0;
    do
    :: x < NI -> L(to, x) = L(from, x); x++
    :: else -> break
    od;
    inc[to] = inc[from]; cn[to] = cn[from]; forked[to] = forked[from]
}

inline copySentinel(from, to) { sI[to] = sI[from]; sC[to] = sC[from]; sM[to] = sM[from] }

inline writeSentinel(m) { sI[m] = inc[m]; sC[m] = cn[m]; sM[m] = mark[m] }

/* NodeStart: StoreLifetime and IncarnationDecision.decide. The sentinel is written by `announce`. */
inline start(m) {
    if
    :: inc[m] == 0 ->
#ifdef M_LOSS_IS_NEW
        inc[m] = 1
#else
        renew(m)
#endif
    :: inc[m] != 0 && (sI[m] == 0
#ifndef M_NO_MACHINE
        || sM[m] != mark[m]
#endif
#ifndef M_NO_INCARNATION
        || sI[m] != inc[m]
#endif
#ifndef M_NO_AHEAD
        || sC[m] > cn[m]
#endif
        ) ->
        assert(wasSetBack);                                                     /* CRASH */
#ifdef M_OLD_LIFE
        skip
#else
        renew(m)
#endif
    :: else
    fi;
    cn[m]++;
    up[m] = true; pendingNote[m] = true; stated[m] = 0;
    printf("machine %d: starts at commit %d in incarnation %d\n", m, cn[m], inc[m])
}

/* CommitService.announce: first the sentinel, then the senders. */
inline announce(m) {
#ifndef M_SENTINEL_FIRST
    writeSentinel(m);
#endif
    pendingNote[m] = false;
    printf("machine %d: announces, sentinel %d/%d\n", m, sI[m], sC[m])
}

inline checkReuse(m) {
    x = SIZE(L(m, inc[m]));
#ifdef RECOVERABLE
    assert(SIZE(L(4, inc[m])) <= x && SIZE(L(5, inc[m])) <= x);                  /* REUSE */
#endif
    assert(told[m] != inc[m] || (SIZE(L(4, inc[m])) <= x && SIZE(L(5, inc[m])) <= x))
}

inline commit(m) {
    printf("machine %d: writes operation %d as %d of incarnation %d\n", m, op, SIZE(L(m, inc[m])) + 1, inc[m]);
    checkReuse(m);
    L(m, inc[m]) = L(m, inc[m]) | (op << (3 * SIZE(L(m, inc[m]))));
    op++; cn[m]++; pendingNote[m] = true
}

/* A fork proof reaches a holder: the log accepts nothing more; its writer begins a new incarnation. */
inline prove(h, i) {
    printf("holder %d: log of incarnation %d is forked\n", h, i);
    forked[h] = forked[h] | (1 << (i));
#ifndef M_FORK_STAYS
    if
    :: h < 2 && inc[h] == i -> renew(h); cn[h]++; pendingNote[h] = true
    :: else
    fi
#endif
}

/* One log between a store and a peer: the shorter one gets the rest, or both have a proof. */
inline exchange(m, p, i) {
    if
    :: FORKED(m, i) != FORKED(p, i) ->
        if
        :: FORKED(m, i) -> prove(p, i)
        :: else -> prove(m, i)
        fi
    :: FORKED(m, i) && FORKED(p, i)
    :: !FORKED(m, i) && !FORKED(p, i) ->
        if
        :: !AGREE(L(m, i), L(p, i)) ->
#ifdef M_NO_PROOF
            skip
#else
            prove(p, i); prove(m, i)
#endif
        :: AGREE(L(m, i), L(p, i)) && SIZE(L(m, i)) > SIZE(L(p, i)) -> L(p, i) = L(m, i)
        :: AGREE(L(m, i), L(p, i)) && SIZE(L(m, i)) < SIZE(L(p, i)) ->
#ifdef M_TRUNCATE
            L(p, i) = L(m, i)
#else
            L(m, i) = L(p, i); cn[m]++
#endif
        :: else
        fi
    fi
}

/* A head of the writer's own log that a peer returns, processed before the run under it (SyncContext.checkOwn). */
inline state(m, p) {
    if
    :: SIZE(L(p, inc[m])) > SIZE(L(m, inc[m])) && !FORKED(p, inc[m]) && SIZE(L(p, inc[m])) > stated[m] ->
        stated[m] = SIZE(L(p, inc[m]))
    :: else
    fi
}

/* RollbackRecovery.renewIfBehind: by now the store may have grown, and nobody has verified the signature. */
inline answerState(m) {
    if
    :: stated[m] > SIZE(L(m, inc[m])) && IS_VALID(stated[m]) ->
        told[m] = inc[m];
        assert(wasSetBack);                                                     /* CRASH */
#ifndef M_NO_STATEMENT
        renew(m); cn[m]++; pendingNote[m] = true
#endif
    :: else
    fi;
    printf("machine %d: %d of its log were stated, writes incarnation %d\n", m, stated[m], inc[m]);
    stated[m] = 0
}

inline remember(p) {
    x = 1;
    do
    :: x < NI ->
        y = L(p, x);
        do
        :: y != 0 -> kept[p - 4] = kept[p - 4] | (1 << ((y & 7) - 1)); y = y >> 3
        :: else -> break
        od;
        x++
    :: else -> break
    od
}

inline holds(h, bits) {
    x = 1; bits = 0;
    do
    :: x < NI ->
        y = L(h, x);
        do
        :: y != 0 -> bits = bits | (1 << ((y & 7) - 1)); y = y >> 3
        :: else -> break
        od;
        x++
    :: else -> break
    od
}

inline meet(m, p) {
    z = 1;
    do
    :: z < NI -> exchange(m, p, z); z++
    :: else -> break
    od;
    z = 0; remember(p)
}

/* The peers are symmetric: exchanging them halves the states. */
inline order() {
    if
    :: L(4, 1) < L(5, 1) ->
        z = 0;
        do
        :: z < NI -> x = L(4, z); L(4, z) = L(5, z); L(5, z) = x; z++
        :: else -> break
        od;
        x = kept[0]; kept[0] = kept[1]; kept[1] = x;
        x = forked[4]; forked[4] = forked[5]; forked[5] = x; z = 0
    :: else
    fi
}

inline stop(m) { up[m] = false; pendingNote[m] = false; stated[m] = 0 }

/* All parties meet each other until nothing changes. */
inline settle() {
    rounds = 0;
    do
    :: true ->
        m = 0;
        do
        :: m < 2 && exists[m] ->
            p = 4;
            do
            :: p < 6 -> state(m, p); answerState(m); meet(m, p); p++
            :: else -> break
            od;
            announce(m); m++
        :: m < 2 && !exists[m] -> m++
        :: else -> break
        od;
        x = 0; total = 0;
        do
        :: x < 42 -> total = total + SIZE(lg[x]); x++
        :: else -> break
        od;
        total = total + 64 * (forked[0] + forked[1] + forked[4] + forked[5]) + fresh;
        if
        :: total == last -> break
        :: else -> last = total
        fi;
        rounds++;
        assert(rounds < 12)
    od
}

inline judge() {
    /* FORK: equal, or proven everywhere where some of it is. */
    x = 1;
    do
    :: x < NI ->
        m = 0;
        do
        :: m < 6 && (m > 3 || (m < 2 && exists[m])) ->
            p = 0;
            do
            :: p < 6 && (p > 3 || (p < 2 && exists[p])) ->
                assert(L(m, x) == L(p, x) || (FORKED(m, x) && FORKED(p, x)));
                p++
            :: p < 6 && !(p > 3 || (p < 2 && exists[p])) -> p++
            :: else -> break
            od;
            m++
        :: m < 6 && !(m > 3 || (m < 2 && exists[m])) -> m++
        :: else -> break
        od;
        x++
    :: else -> break
    od;
    /* KEPT: an unforked log is the same everywhere, so this is about the peers themselves. */
    holds(4, total); assert((total & kept[0]) == kept[0]);
    holds(5, total); assert((total & kept[1]) == kept[1]);
    /* All end in one state. */
    x = 0;
    do
    :: x < 42 -> lg[x] = 0; x++
    :: else -> break
    od;
    x = 0;
    do
    :: x < 4 -> inc[x] = 0; cn[x] = 0; sI[x] = 0; sC[x] = 0; sM[x] = 0; mark[x] = 0; x++
    :: else -> break
    od;
    x = 0;
    do
    :: x < 6 -> forked[x] = 0; x++
    :: else -> break
    od;
    x = 0;
    do
    :: x < 2 ->
        up[x] = 0; exists[x] = 0; pendingNote[x] = 0; stated[x] = 0; told[x] = 0; kept[x] = 0;
        oI[x] = 0; oC[x] = 0; oM[x] = 0; x++
    :: else -> break
    od;
    fresh = 0; marks = 0; op = 0; faults = 0; backups = 0; wasSetBack = false;
    m = 0; p = 0; x = 0; y = 0; z = 0; total = 0; last = 0; rounds = 0
}

inline heal() {
    m = 0;
    do
    :: m < 2 ->
        if
        :: exists[m] && !up[m] -> start(m); announce(m)
        :: exists[m] && up[m] -> announce(m)
        :: else
        fi;
        m++
    :: else -> break
    od;
    settle();
    /* ONWARD */
    m = 0;
    do
    :: m < 2 ->
        if
        :: exists[m] ->
            assert(!FORKED(m, inc[m]));
            x = SIZE(L(m, inc[m]));
            assert(SIZE(L(4, inc[m])) == x && SIZE(L(5, inc[m])) == x);
            if
            :: x < NC && op < 8 -> L(m, inc[m]) = L(m, inc[m]) | (op << (3 * x)); op++; cn[m]++
            :: else
            fi
        :: else
        fi;
        m++
    :: else -> break
    od;
    settle();
    m = 0;
    do
    :: m < 2 ->
        assert(!exists[m] || !FORKED(m, inc[m]));
        assert(!exists[m] || (L(4, inc[m]) == L(m, inc[m]) && L(5, inc[m]) == L(m, inc[m])));
        m++
    :: else -> break
    od;
    judge()
}

active proctype world() {
    byte m, p, z, rounds;
    int x, y, total, last;
    d_step {
        inc[0] = 1; exists[0] = true; mark[0] = 1; cn[0] = 1; up[0] = true;
        writeSentinel(0); oI[0] = 1; oC[0] = 1; oM[0] = 1
    }
    do
    /* The program writes. One commit at a time: a durable commit is announced before the next is made. */
    :: atomic { if
        :: m = 0
        :: exists[1] -> m = 1
        fi;
        if
        :: d_step { (exists[m] && up[m] && !pendingNote[m] && !FORKED(m, inc[m]) && op <= WRITES &&
            SIZE(L(m, inc[m])) < NC) ->
#ifdef M_SENTINEL_FIRST
            sI[m] = inc[m]; sC[m] = cn[m] + 1; sM[m] = mark[m]; pendingNote[m] = true; m = 0 }
#else
            commit(m); x = 0; m = 0 }
#endif
        :: d_step { exists[m] && up[m] && pendingNote[m] ->
#ifdef M_SENTINEL_FIRST
            if
            :: sC[m] > cn[m] && op <= WRITES -> commit(m); x = 0
            :: else -> writeSentinel(m)
            fi;
#endif
            announce(m); m = 0 }
        /* A peer returns a head; the store processes it a little later. */
        :: exists[m] && up[m] && !pendingNote[m] && stated[m] == 0 -> EITHER_PEER;
            d_step { printf("peer %d: returns a head to machine %d\n", p, m); state(m, p); p = 0; m = 0 }
        :: d_step { exists[m] && up[m] && !pendingNote[m] && stated[m] != 0 -> answerState(m); m = 0 }
#ifdef LIE
        :: d_step { exists[m] && up[m] && !pendingNote[m] && stated[m] == 0 ->
            printf("a peer lies to machine %d\n", m); stated[m] = FORGED; m = 0 }
#endif
        /* Runs in both directions, after the head of the same peer. */
        :: exists[m] && up[m] && stated[m] == 0 && MAY_SEND(m) -> EITHER_PEER;
            d_step {
                printf("machine %d: meets peer %d\n", m, p);
                state(m, p); answerState(m); meet(m, p); order(); p = 0; m = 0; x = 0; y = 0 }
        :: d_step { exists[m] && !up[m] -> start(m); oI[m] = sI[m]; oC[m] = sC[m]; oM[m] = sM[m]; m = 0 }
        /* A crash of the process: an unannounced commit stays unannounced. */
        :: d_step { exists[m] && up[m] && faults < FAULTS -> printf("machine %d: crashes\n", m); faults++; stop(m); m = 0 }
#ifdef UNTRACED
        /* A power cut: the sentinel may be as old as the last one that the disk got. */
        :: d_step { exists[m] && up[m] && faults < FAULTS -> printf("machine %d: loses power\n", m); faults++; stop(m);
            sI[m] = oI[m]; sC[m] = oC[m]; sM[m] = oM[m]; m = 0 }
        /* The whole machine is rolled back, including change times. */
        :: m == 0 && faults < FAULTS && backups > 0 -> ANY_BACKUP;
            d_step { printf("machine 0: all of backup %d\n", p); faults++; wasSetBack = true; stop(0);
                copyStore(p, 0); copySentinel(p, 0); mark[0] = mark[p]; p = 0; x = 0 }
        /* The whole machine is cloned. */
        :: d_step { m == 0 && faults < FAULTS && !exists[1] -> printf("machine 1: a double of 0\n");
            faults++; wasSetBack = true; exists[1] = true;
            copyStore(0, 1); copySentinel(0, 1); mark[1] = mark[0]; x = 0 }
#endif
#ifdef RECOVERABLE
        :: m == 0 && !up[0] && faults < FAULTS && backups > 0 -> ANY_BACKUP;
            d_step { printf("machine 0: store of backup %d\n", p); faults++; wasSetBack = true; copyStore(p, 0); p = 0; x = 0 }
        :: m == 0 && !up[0] && faults < FAULTS && backups > 0 -> ANY_BACKUP;
            d_step { printf("machine 0: directory of backup %d\n", p); faults++; wasSetBack = true;
                copyStore(p, 0); copySentinel(p, 0); mark[0] = marks; marks++;
                p = 0; x = 0 }
        :: d_step { m == 0 && !up[0] && faults < FAULTS -> printf("machine 0: store lost\n");
            faults++; wasSetBack = true; x = 0;
            do
            :: x < NI -> L(0, x) = 0; x++
            :: else -> break
            od;
            inc[0] = 0; cn[0] = 0; forked[0] = 0; x = 0 }
        /* The files of an unused directory are copied to another machine. */
        :: d_step { m == 0 && !up[0] && faults < FAULTS && !exists[1] && MAY_COPY -> printf("machine 1: files of 0\n");
            faults++; wasSetBack = true; exists[1] = true;
            copyStore(0, 1); copySentinel(0, 1); mark[1] = marks; marks++; x = 0 }
#endif
        /* A backup of store and sentinel, at any moment. */
        :: d_step { m == 0 && backups < BACKUPS && inc[0] != 0 -> printf("backup %d\n", 2 + backups);
            copyStore(0, 2 + backups);
            copySentinel(0, 2 + backups); mark[2 + backups] = mark[0]; backups++; x = 0 }
        :: else
        fi;
        m = 0 }
    :: d_step { (!pendingNote[0] && !pendingNote[1] && stated[0] + stated[1] == 0) ->
        printf("no more faults\n"); heal() } -> break
    od
}
