/// The laws that the judge enforces, by their numbers in the documentation of the simulator.
package enum Invariant: Int, CaseIterable, Sendable {
    /// An acknowledged write is durable and reaches everybody, unless a write whose author had seen it replaced it.
    case acknowledgedIsKept = 1
    /// Replicas that could talk hold the same.
    case convergence = 2
    /// A log's place holds one leaf for ever.
    case oneLeafForEachPlace = 3
    /// Effects come after their causes, batches whole, feeds exact.
    case causality = 4
    /// Records are what the reference model computes.
    case referenceModel = 5
    /// A node's clock entry is advanced by itself only.
    case ownClockEntry = 6
    /// What is written can be opened by those alone who may read it, and by all of them.
    case keys = 7
    /// A relay promises what it has, and gives it to those whom it is for.
    case custody = 8
    /// Nothing is forgotten that a member may still need.
    case forgetting = 9
    /// Queues and tables stay under their caps.
    case caps = 10
    /// One session for a pair of devices.
    case oneSession = 11
    /// A message comes to all that it is for, is handed out until it is finished and never after that, and its sender is told so.
    case messages = 12
    /// Everybody who knows the same makes the same of who may do what, and that is what was said.
    case rights = 13
    /// Nothing of a zone is told to those who are no party of it, nor its records to those who may not read.
    case confidentiality = 14
    /// Who shares nothing any more is not talked to.
    case leaving = 15
    /// An invitation lets in as many as it is for.
    case uses = 16
    /// What was handed over is kept, and taken over once.
    case deposits = 17
    /// Records are taken from those alone who may have them.
    case taking = 18
    /// A store agrees with itself.
    case storeIntegrity = 20
    /// A wrong clock does not drag others.
    case clocks = 21
    /// A store's life goes on unless something happened to it.
    case lifetime = 22
    /// An acknowledgement that a peer remembers is true.
    case truthfulAcknowledgement = 23
    /// What an application was told about its own write is what became of it.
    case truthfulAnswer = 24
    /// A session speaks the highest version of the channel that both programs know.
    case channelVersion = 25
    /// What the wire and relays show holds no value, no key and no identifier that stays the same.
    case secrecy = 26
    /// What is written after a right has ended counts nowhere, whatever anybody states about it.
    case ended = 27
    /// A device that joins has a good key and the account's log and secrets, and nobody else joins.
    case joining = 28
    /// The account's devices go by a key that no removed device has, and call whoever was off.
    case fleetKeys = 29
    /// Rooms have no more connections than places and for no longer than their time, and a member finds one.
    case doors = 30
    /// An anomaly names a liar.
    case anomalies = 31
    /// All devices of an account call it and each other alike.
    case names = 32
}

extension Violation {
    /// A violation of a law.
    /// - Parameters:
    ///   - invariant: Which law.
    ///   - time: When, in simulated milliseconds.
    ///   - node: At which node; nil when it is not one node's.
    ///   - text: What was seen.
    package init(_ invariant: Invariant, time: UInt64, node: Int?, _ text: String) {
        self.init(invariant: invariant.rawValue, time: time, node: node, "\(invariant): \(text)")
    }
}
