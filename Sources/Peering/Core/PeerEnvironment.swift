package import Identity
package import Sync
package import Wire

/// The types with which a driver runs a ``PeerCore``.
package protocol PeerEnvironment {
    /// The address of a peer; its description is stored, and read again after a restart.
    associatedtype Address: Hashable & Sendable & LosslessStringConvertible
    /// An announcement of a peer on the local network.
    associatedtype Sighting: PeerSighting where Sighting.Address == Address
    /// The account of this device.
    associatedtype Account: PeerAccount
    /// The source of randomness.
    associatedtype Random: RandomNumberGenerator
}

/// An announcement that was seen on the local network: an address to call, and no fact about a device or an account.
package protocol PeerSighting: Sendable {
    /// The address of a peer.
    associatedtype Address: Hashable & Sendable

    /// The claimed name of the instance, new with each process.
    var instanceName: String { get }
    /// The interface on which it was seen.
    var interfaceName: String { get }
    /// The address at which it claims to listen.
    var address: Address { get }

    /// Returns the entry that made the key by which the account's devices recognise the instance.
    /// - Parameters:
    ///   - keys: The keys of this account.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: `nil` for an instance of another account.
    func fleetEntry(recognisedBy keys: FleetChannelKeys, at wall: UInt64) -> Hash?

    /// Returns the shared zone by whose key the instance is recognised.
    /// - Parameters:
    ///   - keys: The keys of the shared zones.
    ///   - wall: The time, in milliseconds since 1970.
    /// - Returns: `nil` for a stranger.
    func zone(recognisedBy keys: RendezvousKeys, at wall: UInt64) -> ZoneID?
}

/// The reason why entries of an account's log are not, or not all, kept; valid entries before the first fault are.
package enum EntriesFault: Error {
    /// There is no place for them, or an entry is invalid without fault of the peer that sent it.
    case notKept(any Error)
    /// The disk failed; the peer may send them again.
    case notWritten(any Error)
    /// An entry is invalid, and its bearer could have known.
    case invalid(any Error)

    /// Judges an invalid entry.
    /// - Parameter error: The rule that it breaks.
    package init(_ error: AccountError) { self = error.isBearersFault ? .invalid(error) : .notKept(error) }
}

/// The account of this device, its secrets, and the logs of other accounts: a port.
///
/// The effect of a call that returns is durable. A call that throws has changed nothing, except where it says so.
package protocol PeerAccount: JoiningAccount {
    /// The log of this account.
    var log: AccountLog { get }
    /// The logs of the other accounts that are known here.
    var contactLogs: [AccountID: AccountLog] { get }
    /// The keys by which the account's devices find and call each other.
    var fleetKeys: FleetChannelKeys { get }
    /// Whether this device can seal keys to others, and so replace the account's key.
    var canReplaceKeys: Bool { get }
    /// This device's part of the account's present recovery words; `nil` where it has none of them.
    var recoverySecret: RecoverySecret? { get }

    /// Takes entries of an account's log, parents first; of an unknown account, the first one is the genesis.
    /// - Throws: ``EntriesFault``; the entries before the first fault are kept.
    func insert(_ entries: [[UInt8]], of account: AccountID) throws(EntriesFault)

    /// Returns an account's log merged with these entries; nothing is stored.
    /// - Throws: `AccountError` for an invalid entry.
    func merged(_ entries: [[UInt8]], of account: AccountID) throws -> AccountLog

    /// Enters a newer certificate of a device in the log, if this device may.
    /// - Returns: Whether the log has it now and did not have it before.
    /// - Throws: `AccountError`, or an error of the disk.
    func enter(_ certificate: VerifiedCertificate) throws -> Bool

    /// Returns whether these are the terms of the zone that this account shares with another one alone.
    func derives(_ terms: ZoneTerms) -> Bool

    /// Remembers a secret of the recovery words from another device, until the log names their key; the newest alone.
    func offer(_ secret: RecoverySecret)

    /// Remembers a key of the account's devices from another device, until the log has the entry that made it; the newest alone.
    func offer(_ secret: FleetSecret)

    /// Keeps the offered secret, if it belongs to the present recovery words.
    /// - Throws: An error of the disk; then it stays offered.
    func keepOfferedDoor() throws

    /// Takes the keys for which the log has envelopes, and the offered one; retires those that were replaced.
    /// - Throws: An error of the disk; then it is tried again when the log changes.
    func updateFleetKeys() throws

    /// Counts the days of retired keys, and drops those whose days are over.
    /// - Throws: An error of the disk.
    func countRetiredDays() throws

    /// Makes another key where removed devices may have the present one, and this device may.
    /// - Returns: Whether one was made.
    /// - Throws: `AccountError`, or an error of the disk.
    func replaceFleetKey() throws -> Bool
}

extension PeerAccount {
    /// Returns the log of an account.
    /// - Parameter account: The account, this one or another.
    /// - Returns: `nil` for an account that is not known here.
    func log(of account: AccountID) -> AccountLog? {
        let own = log
        return account == own.account ? own : contactLogs[account]
    }

    /// The standing of this device.
    var isRemoved: Bool { accountState.standing(of: certificate.device) == .removed }
}

extension EntriesFault: CustomStringConvertible {
    /// The fault, for logs.
    package var description: String {
        switch self {
        case .notKept(let error): "entries of an account are not kept: \(error)"
        case .notWritten(let error): "entries of an account could not be written: \(error)"
        case .invalid(let error): "an invalid entry of an account: \(error)"
        }
    }
}
