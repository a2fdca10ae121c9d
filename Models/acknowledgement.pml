/*
 * Acknowledged data are on the disk.
 *
 * An author writes and sends; a holder applies runs in transactions that are durable some time later, acknowledges, and
 * may lose power at any moment; so may the author. The author counts acknowledgements and prunes operations that all have.
 *
 * Checked:
 *   DURABLE   the author never believes more of a holder's log than its disk holds, now and after any loss of power
 *   SAVED     operations that the author has pruned are on the holder's disk
 *   arrives   (LTL, weak fairness) all operations on the author's disk reach the holder's disk
 *
 * Mutants (each must be found): M_EARLY  M_ANSWERED  M_OPTIMIST  M_NO_COMPARISON
 */

#define N 3                        /* operations */
#ifndef LOSSES
#define LOSSES 2
#endif

byte written = 0, kept = 0;        /* the author's log: in its transaction, on its disk */
byte applied = 0, durable = 0;     /* the holder's log: in its transaction, on its disk */
byte believed = 0;                 /* acknowledged, as the author believes */
byte dropped = 0;                  /* pruned by the author */
byte losses = 0;
bool connected = false;
byte sent = 0;                     /* how far runs were sent in this session */

chan runs = [2] of { byte };       /* a run up to a size */
chan answers = [2] of { byte };    /* an acknowledgement of a size */

#define DURABLE (believed <= durable)
#define SAVED   (dropped <= durable)

/* Only durable operations are sent: CommitService.announce runs after the commit. */
active proctype author() {
    byte size;
    do
    :: d_step { written < N -> written++ }
    :: d_step { kept < written -> kept = written }
    :: d_step { connected && sent < kept && nfull(runs) -> runs ! kept; sent = kept
#ifdef M_OPTIMIST
        ; believed = kept
#endif
        ; assert(DURABLE) }
    :: d_step { nempty(answers) -> answers ? size;
        believed = (size > believed -> size : believed); size = 0; assert(DURABLE) }
    :: d_step { dropped < believed -> dropped = believed; assert(SAVED) }
    od
}

/* The commit queue calls Replication.runApplied after the disk write. */
active proctype holder() {
    byte size;
    do
    :: d_step { nempty(runs) && nfull(answers) -> runs ? size;
        applied = (size > applied -> size : applied);
#ifdef M_EARLY
        answers ! applied;
#endif
        size = 0 }
#ifdef M_ANSWERED
    :: d_step { durable < applied && nfull(answers) -> answers ! applied }
#endif
    :: d_step { durable < applied && (nfull(answers) || !connected) -> durable = applied;
        if
        :: connected -> answers ! durable
        :: else
        fi }
    od
}

inline lose() {
    connected = false; sent = 0;
    do
    :: nempty(runs) -> runs ? k
    :: nempty(answers) -> answers ? k
    :: empty(runs) && empty(answers) -> break
    od;
    k = 0
}

active proctype network() {
    byte k;
    do
    /* By a comparison the author learns the state of the holder's disk. */
#ifdef M_NO_COMPARISON
    :: d_step { !connected -> connected = true; sent = kept }
#else
    :: d_step { !connected -> connected = true; sent = durable; believed = (durable > believed -> durable : believed) }
#endif
    :: d_step { losses < LOSSES -> losses++; applied = durable; lose(); assert(DURABLE && SAVED) }
    :: d_step { losses < LOSSES -> losses++; written = kept; lose() }
    :: d_step { losses < LOSSES && connected -> losses++; lose() }
    od
}

/* With fairness, Spin ignores runs that end. Here no run ends, so stuck operations are found. */
active proctype clock() {
    do
    :: losses <= LOSSES
    od
}

ltl arrives { <> [] (kept == N && durable == N) }
