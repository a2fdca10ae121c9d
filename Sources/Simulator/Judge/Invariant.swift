/// The laws that the judge enforces, by their numbers in the documentation of the simulator.
package enum Invariant: Int, CaseIterable, Sendable {
    /// An acknowledged write is durable and reaches all members, unless a write whose author had seen it replaced it.
    case acknowledgedIsKept = 1
    /// Replicas that could talk hold the same.
    case convergence = 2
    /// A log's place holds one leaf for ever.
    case oneLeafForEachPlace = 3
    /// Effects come after their causes, batches whole, feeds exact.
    case causality = 4
    /// Records equal those that the reference model computes.
    case referenceModel = 5
    /// A node's clock entry is advanced by itself only.
    case ownClockEntry = 6
    /// Exactly the accounts that may read a write can open it.
    case keys = 7
    /// A relay has every payload that it promises, and delivers it to its recipients.
    case custody = 8
    /// No operation is pruned that a member may still need.
    case forgetting = 9
    /// Queues and tables stay under their caps.
    case caps = 10
    /// One session for a pair of devices.
    case oneSession = 11
    /// A message reaches all its recipients, is delivered until it is finished and never afterwards, and its sender
    /// learns that it was finished.
    case messages = 12
    /// Nodes with the same knowledge resolve the same rights, and these are the rights that were stated.
    case rights = 13
    /// Only parties of a zone learn anything of it, and only its readers learn its records.
    case confidentiality = 14
    /// A node ends its sessions with an account that shares nothing with it any more.
    case leaving = 15
    /// An invitation lets in no more accounts than it is for.
    case uses = 16
    /// A deposit is kept, and taken over once.
    case deposits = 17
    /// A node takes records only from devices that may have them.
    case taking = 18
    /// A store agrees with itself.
    case storeIntegrity = 20
    /// A wrong clock does not drag others.
    case clocks = 21
    /// A store's lifetime continues unless a fault has affected a store of its device, regardless of what peers say.
    case lifetime = 22
    /// An acknowledgement that a peer remembers is true.
    case truthfulAcknowledgement = 23
    /// An application's answer about its own write matches the outcome of the write.
    case truthfulAnswer = 24
    /// A session speaks the highest version of the channel that both programs know.
    case channelVersion = 25
    /// The wire and relays show no value, no key and no identifier that stays the same.
    case secrecy = 26
    /// Operations written after a right has ended are ignored, regardless of the positions stated for them.
    case ended = 27
    /// A device that joins has a valid key and the account's log and secrets, and no other device joins.
    case joining = 28
    /// The account's devices use a key that no removed device has, and call the devices that were off.
    case fleetKeys = 29
    /// Rooms have no more connections than places, none stays longer than allowed, and a member finds a place.
    case doors = 30
    /// An anomaly names a liar.
    case anomalies = 31
    /// All devices of an account call it and each other alike.
    case names = 32
    /// A device's messages, receipts, prekeys and relays are believed only as the device has stated them.
    case statements = 33
    /// The contents that records name arrive unchanged where a policy or an application wants them, stay as long as a record names them, and
    /// are dropped when none has for long.
    case assets = 34
    /// A content is evicted by promises of devices that hold it, and each of them keeps what it has promised: the last copy stays.
    case evictions = 35
}

extension Violation {
    /// A violation of a law.
    /// - Parameters:
    ///   - invariant: The law.
    ///   - time: The time, in simulated milliseconds.
    ///   - node: The node's index; `nil` when it is not one node's violation.
    ///   - text: A description of the observation.
    package init(_ invariant: Invariant, time: UInt64, node: Int?, _ text: String) {
        self.init(invariant: invariant.rawValue, time: time, node: node, "\(invariant): \(text)")
    }

    /// A violation at a node, now.
    init(_ invariant: Invariant, at node: SimulatedNode, _ text: String) {
        self.init(invariant, time: node.simulation.now, node: node.index, text)
    }

    /// A violation that is not one node's, now.
    init(_ invariant: Invariant, in simulation: Simulation, _ text: String) {
        self.init(invariant, time: simulation.now, node: nil, text)
    }
}
