import Capabilities
import Wire

extension ShareTerms {
    /// Makes sure that the terms can be written down.
    /// - Throws: `NodeError` `invalidArgument`, naming the one that cannot.
    func check() throws(NodeError) {
        guard delegationDepth <= Limits.delegationDepthMax else {
            throw Self.invalid("depth", "A right can be delegated at most \(Limits.delegationDepthMax) times in a row.")
        }
        guard recordTypes.count <= Limits.caveatTypeCountMax else {
            throw Self.invalid("types", "At most \(Limits.caveatTypeCountMax) record types can be named.")
        }
        for type in recordTypes where !(1...Limits.nameByteCountMax).contains(type.utf8.count) {
            throw Self.invalid("types", "A record type has 1 to \(Limits.nameByteCountMax) bytes.")
        }
        guard namePrefix.utf8.count <= Limits.nameByteCountMax else {
            throw Self.invalid("prefix", "The beginning of a name has at most \(Limits.nameByteCountMax) bytes.")
        }
    }

    /// The rights of the terms.
    var rights: Rights { Rights(level, canDelegate: delegationDepth > 0) }

    /// Returns the caveats that narrow the right.
    /// - Parameter now: The start of the lifetime.
    /// - Returns: The caveats; a time that cannot be represented is left out.
    func caveats(now: UInt64) -> Caveats {
        let end = lifetimeMilliseconds.map { now.addingReportingOverflow($0) }
        return Caveats(
            recordTypes: recordTypes,
            namePrefix: namePrefix,
            expires: end.flatMap { $0.overflow ? nil : $0.partialValue },
            delegationDepth: delegationDepth
        )
    }

    private static func invalid(_ field: String, _ message: String) -> NodeError {
        NodeError(.invalidArgument, message, fix: "Correct the value.", facts: [.field(field)])
    }
}

extension Capability.Terms {
    /// The terms of a capability for an account.
    /// - Parameters:
    ///   - terms: The right.
    ///   - audience: The grantee.
    ///   - now: The start of the lifetime.
    init(_ terms: ShareTerms, to audience: AccountID, now: UInt64) {
        self.init(audience: audience, rights: terms.rights, caveats: terms.caveats(now: now))
    }
}
