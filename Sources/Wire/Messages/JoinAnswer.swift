/// Reports the progress of a request to join.
///
/// ```
/// +---------+-------------------------------------------+--------------+-----------------------+
/// | state 1 | of state 1: ZoneTerms | capability 32 B   | count varint | count × entry (bytes) |
/// +---------+-------------------------------------------+--------------+-----------------------+
/// ```
package struct JoinAnswer: Hashable, Sendable {
    /// The progress of a request.
    package enum State: Hashable, Sendable {
        /// The right is granted: the zone, and the id of the capability.
        case joined(ZoneTerms, capability: Hash)
        /// A person has to approve it.
        case waitingApproval
        /// The device that made the invitation has to come within reach.
        case waitingInviter
    }

    /// The state of the request.
    package var state: State
    /// The answering account's whole log: encoded `SignedAccountEntry` values, parents before children.
    ///
    /// A message has at most 512 KiB of them. A longer log goes ahead of it, and this is empty on the way.
    package var entries: [[UInt8]]

    /// Makes a message.
    package init(_ state: State, entries: [[UInt8]]) {
        self.state = state
        self.entries = entries
    }
}

extension JoinAnswer: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch state {
        case .joined(let terms, let capability):
            writer.writeByte(1)
            writer.write(terms)
            writer.write(capability)
        case .waitingApproval: writer.writeByte(2)
        case .waitingInviter: writer.writeByte(3)
        }
        writer.writeBlobs(entries)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        switch try reader.readByte() {
        case 1: state = .joined(try ZoneTerms(from: &reader), capability: try Hash(from: &reader))
        case 2: state = .waitingApproval
        case 3: state = .waitingInviter
        default: throw .invalidValue("join state")
        }
        entries = try reader.readBlobs(
            countMax: Limits.accountEntryCountMax,
            byteCountMax: Limits.accountEntriesByteCountMax
        )
    }
}
