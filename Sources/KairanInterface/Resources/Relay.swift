public import FoundationEssentials

/// A relay that keeps parcels for devices that are off.
public struct Relay: Sendable, Hashable, Codable {
    /// The state of the connection to a relay.
    public enum State: String, Sendable, Hashable, Codable, CaseIterable {
        /// It does not answer; it is tried again.
        case unreachable
        /// It is being called.
        case connecting
        /// It keeps parcels, and hands them out.
        case connected
        /// It hands parcels out, and has no room for more.
        case full
        /// It does not let the account in (any more).
        case refused
    }

    /// The relay's id.
    public var relay: String
    /// The address at which it is reached first.
    public var address: String
    /// The addresses at which it is reached, as "host:port".
    public var addresses: [String]
    /// The state of the connection.
    public var state: State
    /// Whether the account uses it by an admission of its own; otherwise other accounts that share zones with it have
    /// announced it.
    public var own: Bool
    /// The other accounts whose devices fetch their parcels there.
    public var accounts: [String]
    /// The number of bytes that it keeps for this account; `nil` while it has not reported it.
    public var storedBytes: Int?
    /// The number of bytes that it would keep; `nil` while it has not reported it.
    public var quotaBytes: Int?
    /// The storage backend of the parcels, such as `sqlite` or `jetstream`; `nil` while the relay has not reported
    /// it.
    public var backend: String?
    /// The parcels that this device left there without having learned of their fate.
    public var waiting: Int
    /// The time since which the account uses it; `nil` for one that others have announced.
    public var since: Date?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        relay: String,
        address: String,
        addresses: [String],
        state: State,
        own: Bool,
        accounts: [String],
        storedBytes: Int?,
        quotaBytes: Int?,
        backend: String?,
        waiting: Int,
        since: Date?
    ) {
        self.relay = relay
        self.address = address
        self.addresses = addresses
        self.state = state
        self.own = own
        self.accounts = accounts
        self.storedBytes = storedBytes
        self.quotaBytes = quotaBytes
        self.backend = backend
        self.waiting = waiting
        self.since = since
    }

    private enum CodingKeys: String, CodingKey {
        case relay, address, addresses, state, own, accounts
        case storedBytes = "stored_bytes"
        case quotaBytes = "quota_bytes"
        case backend, waiting, since
    }
}

/// The admission of an account for which this machine keeps parcels.
public struct Admission: Sendable, Hashable, Codable {
    /// Names the admission.
    public var admission: String
    /// The name of the admitted account, in the owner's words.
    public var name: String
    /// Bytes that are kept under it.
    public var storedBytes: Int
    /// Bytes that would be kept.
    public var quotaBytes: Int
    /// The number of parcels kept.
    public var parcels: Int
    /// The number of passes that it has given to accounts that share zones with it.
    public var passes: Int
    /// Bytes that are kept under them; each may fill a sixteenth of ``quotaBytes``, and they do not count against it.
    public var passBytes: Int
    /// The storage backend of the parcels: `sqlite` or `jetstream`.
    public var backend: String
    /// The time at which the admission was made.
    public var since: Date
    /// The link to give to the account, a secret; only present in the answer that makes the admission.
    public var link: String?

    /// Describes it.
    /// - Parameters: as the properties of the same names.
    package init(
        admission: String,
        name: String,
        storedBytes: Int,
        quotaBytes: Int,
        parcels: Int,
        passes: Int,
        passBytes: Int,
        backend: String,
        since: Date,
        link: String? = nil
    ) {
        self.admission = admission
        self.name = name
        self.storedBytes = storedBytes
        self.quotaBytes = quotaBytes
        self.parcels = parcels
        self.passes = passes
        self.passBytes = passBytes
        self.backend = backend
        self.since = since
        self.link = link
    }

    private enum CodingKeys: String, CodingKey {
        case admission, name
        case storedBytes = "stored_bytes"
        case quotaBytes = "quota_bytes"
        case parcels, passes
        case passBytes = "pass_bytes"
        case backend, since, link
    }
}

extension Admission: SparseResource {
    /// The members that are there only with a value.
    package static let sparseMembers: Set<String> = ["link"]
}
