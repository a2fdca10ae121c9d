import Records
import Sodium
import Wire

/// Opens the keys of a zone's epochs that can be opened, from envelopes, from what was disclosed, and along the chains.
struct EpochOpening {
    private let book: EpochBook
    private let zone: ZoneID
    /// The keys that are open.
    private(set) var keyring: EpochKeyring
    /// Whether a key is open that was not.
    private(set) var isMore = false

    /// Starts from what is open already.
    init(_ book: EpochBook, zone: ZoneID, keyring: EpochKeyring) {
        (self.book, self.zone, self.keyring) = (book, zone, keyring)
    }

    /// Opens all that can be opened, of what was not looked at before.
    /// - Parameters:
    ///   - device: The device whose envelopes are tried.
    ///   - open: Opens one envelope of the epoch that begins at a place; `nil` for one that does not open.
    /// - Complexity: O(new statements, and links of what they open), and one envelope for each new epoch that no chain leads to; those
    ///   that do not open are tried once.
    mutating func run(for device: DeviceID, _ open: (_ envelope: [UInt8], _ place: Dot) -> EpochKey?) {
        // The last ones first: the keys of those before follow from them by the chain, for a fraction of the work.
        let new = book.journal.epochs(behind: keyring.mark(of: zone), for: device)
        for hash in (new ?? book.order).reversed() {
            guard let epoch = book.epochs[hash] else { continue }
            if keyring.key(hash) == nil, let disclosed = epoch.disclosed {
                keep(try? EpochKey(bytes: disclosed.bytes), of: hash)
            }
            for envelope in keyring.key(hash) == nil ? epoch.envelopes(for: device) : [] where keyring.key(hash) == nil
            {
                // Who may write could have us open a thousand bad ones with each operation.
                let name = Hash(digesting: .triedEnvelope, hash.bytes + envelope)
                if keyring.hasRefused(name) { continue }
                keep(open(envelope, epoch.place), of: hash)
                if keyring.key(hash) == nil { keyring.refuse(name) }
            }
            followChains(from: hash)
        }
        keyring.keep(book.journal.end(for: device), of: zone)
    }

    /// Opens the keys that follow from one that is open.
    ///
    /// Of that a link may lead to an epoch whose operation came later.
    private mutating func followChains(from hash: Hash) {
        var queue = [hash]
        while let next = queue.popLast() {
            guard let key = keyring.key(next), let epoch = book.epochs[next] else { continue }
            for link in epoch.content.chain where keyring.key(link.epoch) == nil {
                keep(key.open(link, zone: zone), of: link.epoch)
                if keyring.key(link.epoch) != nil { queue.append(link.epoch) }
            }
        }
    }

    /// Keeps what is the key of an epoch.
    private mutating func keep(_ key: EpochKey?, of hash: Hash) {
        guard let key, let epoch = book.epochs[hash], keyring.key(hash) == nil,
            key.confirmTag(zone: zone, place: epoch.place) == epoch.content.confirm
        else { return }
        keyring.insert(key, for: hash)
        isMore = true
    }
}
