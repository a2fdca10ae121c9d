package import Wire

// The program at the other end, for people. An earlier program refuses the message: the dialled side learns in the
// handshake whether the other side knows it, and sends first; the dialling side learns it from that, and answers.
extension SyncCore {
    /// Tells the peer which program runs here: once, in an active session with a device that shares something with this one, and only where
    /// the peer is known to understand it.
    mutating func tellProgram(_ id: SessionID, into effects: inout [SyncEffect]) {
        guard let program, let session = sessions[id], session.phase == .active, !session.isUnproven,
            session.remoteRevision > 0 || session.program != nil, !session.hasToldProgram,
            shares(with: session.device, of: session.account)
        else { return }
        sessions[id]?.hasToldProgram = true
        effects.append(.send(id, .program(program)))
    }

    /// Takes in the peer's statement of its program.
    ///
    /// It is kept while this side is still confirming as well: the peer sends it once.
    mutating func programTold(_ note: ProgramNote, on id: SessionID, into effects: inout [SyncEffect]) {
        sessions[id]?.program = note
        tellProgram(id, into: &effects)
    }

    /// The program at the other end of a session; nil where it is unknown.
    package func program(in id: SessionID) -> ProgramNote? { sessions[id]?.program }
}
