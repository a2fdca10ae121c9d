import Capabilities
import Records
import Wire

/// The epochs of a zone's key that its control log tells of, whether what told of them counts or not.
///
/// Whether an epoch counts matters for writing only: what was sealed under one that turned out not to count can be read by
/// whoever was given the key, as long as that is held.
struct EpochBook {
    /// One epoch.
    struct Epoch {
        /// Where the operation stands that begins it.
        let place: Dot
        /// What it says.
        let content: KeyEpoch
        /// Whether that operation counts.
        fileprivate(set) var counts = false
        /// Whether the operation that begins it is handed on to who lacks it, as itself or said again.
        fileprivate(set) var isHandedOn: Bool
        /// Who has the key: whom it was given to, and whom that of a later epoch was given to whose chain leads to it.
        fileprivate(set) var readers: Set<DeviceID>
        /// Those of them that were given it in a way that reaches them, whenever they come.
        fileprivate(set) var supplied: Set<DeviceID>
        /// What was delivered of it besides, to one device.
        fileprivate(set) var deliveries: [DeviceID: [[UInt8]]] = [:]
        /// The key, once it is disclosed.
        fileprivate(set) var disclosed: Hash?
        /// How many epochs lie before it on the longest way.
        fileprivate(set) var depth = 0

        fileprivate init(_ header: OperationHeader, _ content: KeyEpoch, isHandedOn: Bool) {
            place = header.creation
            (self.content, self.isHandedOn) = (content, isHandedOn)
            // Where it is not handed on, who has the key says it again, with these.
            readers = Set(content.envelopes.map(\.device))
            supplied = readers
        }

        /// The envelopes for a device, as far as it knows any.
        func envelopes(for device: DeviceID) -> [[UInt8]] {
            content.envelopes.filter { $0.device == device }.map(\.sealed) + (deliveries[device] ?? [])
        }
    }

    private(set) var epochs: [Hash: Epoch] = [:]

    /// Reads the control operations of a zone; what cannot be decoded has no effect.
    /// - Complexity: O(control operations, envelopes), and O(epochs · predecessors).
    init(_ controls: [HeldControl], _ state: ControlState, zone: ZoneID) {
        var deliveries: [(delivery: KeyDelivery, isHandedOn: Bool)] = []
        var again: [(hash: Hash, epoch: Epoch)] = []
        for held in controls {
            do {
                switch held.body {
                case .epoch(let bytes):
                    let hash = held.operation.header.leafHash
                    // What is too long to be said in another operation is not of this program's making.
                    let isDone = held.isHandedOn || held.operation.encoded.count > Limits.epochAgainByteCountMax
                    var epoch = Epoch(held.operation.header, try KeyEpoch(decoding: bytes), isHandedOn: isDone)
                    epoch.counts = state.verdicts[hash] == .counts
                    epochs[hash] = epoch
                case .delivery(let bytes): deliveries.append((try KeyDelivery(decoding: bytes), held.isHandedOn))
                case .epochAgain(let bytes):
                    // Its hash is the epoch's name, so nobody can say another thing in its place.
                    let operation = try Operation(decoding: bytes)
                    guard operation.header.bodyHash == Operation.bodyHash(operation.body),
                        case .epoch(let content) = try ControlBody(decoding: operation.body)
                    else { continue }
                    let epoch = Epoch(operation.header, try KeyEpoch(decoding: content), isHandedOn: held.isHandedOn)
                    again.append((operation.header.leafHash, epoch))
                default: break
                }
            } catch {
                // Said in a way that this version does not read.
                continue
            }
        }
        for (hash, epoch) in again {
            epochs[hash, default: epoch].isHandedOn = epochs[hash]?.isHandedOn == true || epoch.isHandedOn
        }
        for (delivery, isHandedOn) in deliveries {
            epochs[delivery.epoch]?.readers.formUnion(delivery.envelopes.map(\.device))
            if isHandedOn { epochs[delivery.epoch]?.supplied.formUnion(delivery.envelopes.map(\.device)) }
            if let key = delivery.disclosed { disclose(key, of: delivery.epoch, zone: zone) }
            for envelope in delivery.envelopes {
                epochs[delivery.epoch]?.deliveries[envelope.device, default: []].append(envelope.sealed)
            }
        }
        order = Self.order(epochs)
        for hash in order {
            let depth = depth(of: hash)
            epochs[hash]?.depth = depth
        }
        // Links lead to what lies before.
        for hash in order.reversed() {
            guard let epoch = epochs[hash] else { continue }
            for link in epoch.content.chain {
                epochs[link.epoch]?.readers.formUnion(epoch.readers)
                epochs[link.epoch]?.supplied.formUnion(epoch.supplied)
            }
        }
    }

    /// All epochs, each behind those that it follows.
    ///
    /// An epoch is named by a hash over what names its predecessors, so there are no circles.
    private(set) var order: [Hash] = []

    private static func order(_ epochs: [Hash: Epoch]) -> [Hash] {
        var order: [Hash] = []
        var done: Set<Hash> = []
        var stack = epochs.keys.sorted(by: >)
        while let hash = stack.last {
            let missing = (epochs[hash]?.content.previous ?? []).filter { epochs[$0] != nil && !done.contains($0) }
            if missing.isEmpty || done.contains(hash) {
                stack.removeLast()
                if done.insert(hash).inserted { order.append(hash) }
            } else {
                stack += missing
            }
        }
        return order
    }

    /// Anybody may say that something is the key of an epoch.
    private mutating func disclose(_ secret: Hash, of hash: Hash, zone: ZoneID) {
        guard let epoch = epochs[hash], let key = try? EpochKey(bytes: secret.bytes),
            key.confirmTag(zone: zone, place: epoch.place) == epoch.content.confirm
        else { return }
        epochs[hash]?.disclosed = secret
    }

    private func depth(of hash: Hash) -> Int {
        // Those before have theirs.
        (epochs[hash]?.content.previous ?? []).compactMap { epochs[$0].map { $0.depth + 1 } }.max() ?? 0
    }

    /// The epochs whose keys follow from one epoch's by the chain, itself included.
    func chained(from hash: Hash) -> Set<Hash> {
        var found: Set<Hash> = [hash]
        var queue = [hash]
        while let next = queue.popLast() {
            for link in epochs[next]?.content.chain ?? [] where found.insert(link.epoch).inserted {
                queue.append(link.epoch)
            }
        }
        return found
    }
}
