package import Wire

/// The reason for which a content is not evicted, whichever devices hold it.
package enum EvictionObstacle: Hashable, Sendable {
    /// It is not here.
    case absent
    /// A part of it is not here, and is being fetched.
    case incomplete
    /// No record of a live zone names it.
    case unnamed
    /// This device has promised to keep it until a time, in milliseconds since 1970.
    case promised(until: UInt64)
    /// A file with it is linked, which another program keeps.
    case linked
    /// A message needs it.
    case message
    /// It is kept for other devices.
    case custody
    /// Another attempt to evict it is under way.
    case attempt
    /// As many contents as may be are being evicted.
    case full
    /// The attempt has ended meanwhile.
    case ended
    /// The promises of the other devices may be over.
    case stale
    /// The store has failed.
    case storage
}

/// The store's answer to the beginning of an attempt.
package enum EvictionStart: Hashable, Sendable {
    /// The row of the attempt is durable, and devices may be asked under these zones.
    case begun(zones: [ZoneID])
    /// There is no attempt.
    case refused(EvictionObstacle)
}

/// The store's answer to a drop.
package enum EvictionEnd: Hashable, Sendable {
    /// The content is dropped; so many bytes.
    case evicted(byteCount: UInt64)
    /// Nothing is dropped.
    case refused(EvictionObstacle)
}

/// The answer of one device about a content.
package struct HolderAnswer: Hashable, Sendable {
    /// The answer, or the reason why there is none.
    package enum Word: Hashable, Sendable {
        /// It has promised to keep it until a time, in milliseconds since 1970.
        case promised(until: UInt64)
        /// It holds it.
        case held
        /// It does not hold it, or does not say so to this device.
        case absent
        /// It is about to evict it.
        case evicting
        /// It could not promise.
        case refused
        /// It has not answered in time.
        case silent
        /// Its program does not know the question.
        case unaware

        init(_ word: RetentionStatus.Word) {
            self =
                switch word {
                case .promised(let until): .promised(until: until)
                case .held: .held
                case .absent: .absent
                case .evicting: .evicting
                case .refused: .refused
                }
        }
    }

    /// The device.
    package let device: DeviceID
    /// The account that it belongs to.
    package let account: AccountID
    /// The answer.
    package let word: Word

    /// Describes an answer.
    /// - Parameters: as the properties of the same names.
    package init(device: DeviceID, account: AccountID, word: Word) {
        (self.device, self.account, self.word) = (device, account, word)
    }
}

/// The outcome of an ``EvictionOrder``.
package enum EvictionOutcome: Hashable, Sendable {
    /// The content is dropped, by the promises among these answers; so many bytes.
    case evicted(byteCount: UInt64, [HolderAnswer])
    /// Too few devices have promised to keep it.
    case notSafe([HolderAnswer])
    /// It is not evicted, for another reason.
    case refused(EvictionObstacle)
    /// It was withdrawn, or this store has begun another lifetime.
    case withdrawn
}
