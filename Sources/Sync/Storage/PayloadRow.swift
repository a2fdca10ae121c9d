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
        /// No message needs it, and its chunks are dropped, some at a time.
        case released = 4
    }

    /// Its number in this store; never reused.
    package let number: UInt64
    /// Its id; `nil` while its end is not known, and when it is released.
    package var id: PayloadID?
    /// The zone that it belongs to.
    package let zone: ZoneID
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
    package let sender: DeviceID?
    /// The time until which it is kept for others, in milliseconds since 1970; `nil` where it is not.
    package var keptUntil: UInt64?

    /// Whether a program on this device has uploaded it, and it is kept or still coming.
    var isHandedIn: Bool { sender == nil && keptUntil == nil && (state == .uploading || state == .present) }

    /// Bytes of its content, with padding.
    package var paddedByteCount: UInt64 {
        secret == nil ? byteCount : PayloadWriter.paddedByteCount(byteCount)
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
        keptUntil: UInt64? = nil
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
    }
}
