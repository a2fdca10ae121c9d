import Wire

/// Under which epoch a device writes, and what it does so that all who may read can.
///
/// A function of the control log, of who may read, and of which keys are open here.
struct EpochPlan {
    /// What is to be said.
    enum Step: Equatable {
        /// Of an epoch that there is, the operation that begins it, which lies above the end of its log.
        case sayAgain(Hash)
        /// A new epoch, behind these, with the keys of those in the chain.
        case begin(previous: [Hash], chain: [Hash])
        /// The key of an epoch that there is, for devices that lack it, ascending.
        case deliver(Hash, to: [DeviceID])
    }

    /// The epoch to write under; `nil` while there is none that only members can read.
    let current: Hash?
    /// What is to be said, in order; nothing when everybody has what they are to have.
    let steps: [Step]

    /// Makes a plan.
    /// - Parameters:
    ///   - book: The zone's epochs.
    ///   - counts: Whether the operation that begins an epoch counts.
    ///   - readers: The devices that may read, with their accounts.
    ///   - isAddressable: Whether a device has stated a key that one can seal to; asked of those alone who lack something.
    ///   - history: How much of the past those get who come later.
    ///   - isOpen: Whether the key of an epoch is open here.
    ///   - isDue: Whether an epoch has been written under for long enough.
    init(
        _ book: EpochBook,
        counts: (Hash) -> Bool,
        readers: [DeviceID: AccountID],
        isAddressable: (DeviceID) -> Bool,
        history: ZoneHistory,
        isOpen: (Hash) -> Bool,
        isDue: (EpochBook.Epoch) -> Bool = { _ in false }
    ) {
        let open = book.epochs.filter { isOpen($0.key) }
        let usable = open.filter { hash, epoch in
            counts(hash) && epoch.disclosed == nil
                && (epoch.readers.allSatisfy { readers[$0] != nil } || PlantedBug.keepTheKeyOfTheRemoved.isActive)
        }
        let best = usable.min { left, right in
            left.value.depth == right.value.depth ? left.key < right.key : left.value.depth > right.value.depth
        }
        current = best?.key

        // Of an epoch a device gets the key if the zone shows those who come later what was before, or if it is of an account
        // that has it: then its siblings may as well hand it over.
        func mayHave(_ device: DeviceID, _ epoch: EpochBook.Epoch) -> Bool {
            if history == .full { return true }
            let accounts = Set(epoch.readers.compactMap { readers[$0] })
            return readers[device].map { accounts.contains($0) } ?? false
        }
        func lacking(_ epoch: EpochBook.Epoch) -> [DeviceID] {
            PlantedBug.forgetNewcomers.isActive
                ? [] : readers.keys.filter { !epoch.supplied.contains($0) && isAddressable($0) }.sorted()
        }
        let again = Self.unsaid(book, isOpen: isOpen).map { Step.sayAgain($0) }
        let isStale = best.map { best in
            isDue(best.value) || lacking(best.value).contains { !mayHave($0, best.value) }
        }
        guard let best, isStale == false else {
            let followed = Set(book.epochs.values.flatMap(\.content.previous))
            let last = book.epochs.keys.filter { !followed.contains($0) }
            let deepest = last.sorted { left, right in
                let (one, other) = (book.epochs[left]?.depth ?? 0, book.epochs[right]?.depth ?? 0)
                return one == other ? left < right : one > other
            }
            let previous = Array(deepest.prefix(Limits.epochPreviousCountMax))
            let chain = previous.filter { hash in
                guard let epoch = open[hash] else { return false }
                return readers.keys.allSatisfy { device in
                    epoch.readers.contains(device) || mayHave(device, epoch) || !isAddressable(device)
                }
            }
            steps = again + [.begin(previous: previous.sorted(), chain: chain.sorted())]
            return
        }
        let reached = book.chained(from: best.key)
        let others = open.keys.filter { !reached.contains($0) }.sorted()
        let deliveries: [Step] = ([best.key] + others).compactMap { hash in
            guard let epoch = open[hash] else { return nil }
            let devices = lacking(epoch).filter { mayHave($0, epoch) }
            return devices.isEmpty ? nil : .deliver(hash, to: devices)
        }
        steps = again + deliveries
    }

    /// The epochs whose keys are open here, and which nobody hears of who has not: a device that has not heard of them may remove the
    /// one that began them, and that one's log ends below them then.
    /// - Returns: Each behind those that it follows.
    static func unsaid(_ book: EpochBook, isOpen: (Hash) -> Bool) -> [Hash] {
        if PlantedBug.leaveKeysAboveACut.isActive { return [] }
        return book.order.filter { book.epochs[$0]?.isHandedOn == false && isOpen($0) }
    }
}
