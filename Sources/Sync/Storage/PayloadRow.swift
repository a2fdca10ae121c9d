package import Wire

/// A payload as far as it is here; its chunks are kept beside it.
package struct PayloadRow: Hashable, Sendable {
    /// The progress of a payload; the raw values are stored.
    package enum State: Int, Sendable, CaseIterable {
        /// A program on this device is uploading it.
        case uploading = 1
        /// It is wanted, and chunks of it are missing.
        case wanted = 2
        /// All of it is here.
        case present = 3
        /// Nothing needs it, and its chunks are dropped, some at a time.
        case released = 4
        /// A record names it, and it is not wanted here: none of its chunks is.
        case remote = 5
        /// All of it was here, and its chunks were dropped on request.
        case evicted = 6
        /// All of it is here in files that other programs keep; its bytes, or some of them, are not stored.
        case linked = 7
    }

    /// The requests by which a payload is kept for others; the raw values are stored.
    package enum Keeping: Int, Sendable, CaseIterable {
        /// The device of ``PayloadRow/sender`` has asked, for a message.
        case message = 1
        /// The device of ``PayloadRow/sender`` has asked, for a record.
        case record = 2
        /// Another device has asked, or several have.
        case several = 3
    }

    /// Its number in this store; never reused.
    package let number: UInt64
    /// Its id; `nil` while its end is not known, and when it is released.
    package var id: PayloadID?
    /// The zone under which it is requested, and for whose readers it is here at least.
    package var zone: ZoneID
    /// Its progress.
    package var state: State
    /// Bytes of its content, without padding; with padding for one that is kept for others; while its end is unknown,
    /// bytes of the chunks that are here.
    package var byteCount: UInt64
    /// The secret that seals its chunks; `nil` for a payload kept for other devices, which alone can open it.
    package let secret: StoredSecret?
    /// The time at which it became known here, in milliseconds since 1970.
    package let begun: UInt64
    /// The device that is asked for it first; `nil` for one that was uploaded here.
    package var sender: DeviceID?
    /// The time until which it is kept for others, in milliseconds since 1970; `nil` where it is not.
    package var keptUntil: UInt64?
    /// The requests by which it is kept; without a meaning where it is not.
    package var keeping: Keeping
    /// Whether a record names it by an asset, or did.
    package var isAsset: Bool
    /// Of an asset, the time since which no record names it, in milliseconds since 1970; `nil` while one does, or that was not noted yet.
    package var unnamedSince: UInt64?
    /// Plain bytes of each of its chunks but the last; of a payload whose outline is not known here, the smaller size.
    package var chunkByteCount: Int

    /// Whether a program on this device has uploaded it, and it is kept or still coming.
    var isHandedIn: Bool { sender == nil && keptUntil == nil && (state == .uploading || state == .present) }

    /// Whether all of it is here, stored or in linked files.
    package var isComplete: Bool { state == .present || state == .linked }

    /// Bytes of its content, with padding.
    package var paddedByteCount: UInt64 {
        secret == nil ? byteCount : PayloadWriter.paddedByteCount(byteCount)
    }

    /// Returns the number of sealed bytes of a chunk.
    /// - Parameter position: Which one, from 0.
    /// - Returns: The bytes; `nil` where there is no such chunk, and while its end is not known.
    package func sealedByteCount(at position: UInt64) -> Int? {
        guard state != .uploading else { return nil }
        let (begin, isBeyond) = position.multipliedReportingOverflow(by: UInt64(chunkByteCount))
        guard !isBeyond, begin < paddedByteCount else { return nil }
        return Int(clamping: min(paddedByteCount - begin, UInt64(chunkByteCount))) + Limits.chunkTagByteCount
    }

    /// Describes a payload.
    /// - Parameters: as the properties of the same names.
    package init(
        number: UInt64,
        id: PayloadID?,
        zone: ZoneID,
        state: State,
        byteCount: UInt64,
        secret: StoredSecret?,
        begun: UInt64,
        sender: DeviceID? = nil,
        keptUntil: UInt64? = nil,
        keeping: Keeping = .message,
        isAsset: Bool = false,
        unnamedSince: UInt64? = nil,
        chunkByteCount: Int = Limits.chunkByteCount
    ) {
        self.number = number
        self.id = id
        self.zone = zone
        self.state = state
        self.byteCount = byteCount
        self.secret = secret
        self.begun = begun
        self.sender = sender
        self.keptUntil = keptUntil
        self.keeping = keeping
        self.isAsset = isAsset
        self.unnamedSince = unnamedSince
        self.chunkByteCount = chunkByteCount
    }
}
