package import Identity
import Records
import Wire

/// A relay that the account's devices leave parcels with for each other.
///
/// If the use of a relay and its end are stated concurrently, the use is effective: parcels that are left there are
/// still taken.
package struct RelayUse: Hashable, Sendable {
    /// The link to the relay, with the admission of the account.
    package let link: RelayLink
    /// The time since which it is used, in milliseconds since 1970: the earlier one is preferred.
    package let since: UInt64
    /// Whether it is used now.
    let isUsed: Bool

    /// Makes an entry.
    /// - Parameters:
    ///   - link: The link to the relay, with the admission of the account.
    ///   - since: The time since which it is used, in milliseconds since 1970.
    ///   - isUsed: Whether it is used now.
    init(link: RelayLink, since: UInt64, isUsed: Bool) {
        self.link = link
        self.since = since
        self.isUsed = isUsed
    }
}

extension RelayUse: BookEntry {
    static let type = "relay"

    static func name(_ relay: RelayID) -> String { prefix + relay.text }

    var name: String { Self.name(link.relay) }

    var fields: [FieldAssignment] {
        [.bytes("link", link.exportBytes()), .date("since", since), .flag("used", isUsed)]
    }

    init?(_ body: RecordBody) {
        guard let bytes = body.bytes("link"), let link = try? RelayLink(bytes: bytes), let since = body.date("since")
        else { return nil }
        self.init(link: link, since: since, isUsed: body.isSaid("used"))
        guard body.name == name else { return nil }
    }
}
