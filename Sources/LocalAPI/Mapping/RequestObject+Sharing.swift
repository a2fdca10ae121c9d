import KairanInterface
import Node
import Wire

extension RequestObject {
    /// The levels that may be handed to an account.
    private static let levels: [AccessLevel] = [.read, .append, .write, .admin]

    /// A level of rights; `nil` when it is not there.
    func level(_ name: String) throws(NodeError) -> AccessLevel? {
        guard let text = try text(name) else { return nil }
        guard let level = Self.levels.first(where: { $0.name == text }) else {
            let names = Self.levels.map(\.name).joined(separator: ", ")
            throw .invalid(place(name), "one of \(names) is expected")
        }
        return level
    }

    /// Reads the right to grant to an account.
    /// - Parameter expires: The name of the member with the validity, if there is one.
    /// - Returns: The terms.
    /// - Throws: `invalidArgument`.
    func shareTerms(expires: String?) throws(NodeError) -> ShareTerms {
        guard let level = try level("rights") else { throw .invalid(place("rights"), "it is missing") }
        var lifetime: Int64?
        if let expires, self[expires] != nil { lifetime = try number(expires, in: 60...315_360_000, default: 60) }
        return ShareTerms(
            level: level,
            delegationDepth: UInt8(try number("depth", in: 0...Int64(Limits.delegationDepthMax), default: 0)),
            recordTypes: try texts("types"),
            namePrefix: try text("prefix") ?? "",
            lifetimeMilliseconds: lifetime.map { UInt64($0) * 1_000 }
        )
    }

    /// Reads a change to the rights of accounts without a capability.
    func publicAccess() throws(NodeError) -> PublicAccessChange {
        PublicAccessChange(
            world: try publicRights("world"),
            authenticated: try publicRights("authenticated"),
            creator: try publicRights("creator")
        )
    }

    private func publicRights(_ name: String) throws(NodeError) -> PublicRights? {
        guard self[name] != nil else { return nil }
        var rights: PublicRights = []
        for text in try texts(name) {
            guard let right = PublicRights.names.first(where: { $0.name.rawValue == text })?.right else {
                let names = PublicRights.names.map(\.name.rawValue).joined(separator: ", ")
                throw .invalid(place(name), "an array of \(names) is expected")
            }
            guard rights.isDisjoint(with: right) else { throw .invalid(place(name), "\(text) is given twice") }
            rights.formUnion(right)
        }
        return rights
    }
}
