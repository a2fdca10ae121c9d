import Wire

/// Attempts to connect to devices that have asked for it: one at a time, and each device once a minute.
///
/// The driver chooses the address at which it knows the device: a device that asks names none.
struct ReachDesk: Sendable {
    /// The time after an attempt in which the same device is not tried again, in milliseconds.
    static let pauseMilliseconds: UInt64 = 60_000
    /// Of how many devices it is remembered when they were tried.
    static let deviceCountMax = 256

    private var underWay: (session: SessionID, number: UInt64)?
    private var tried: [DeviceID: UInt64] = [:]

    /// A device asks to be tried.
    /// - Parameters:
    ///   - device: The device; its sessions are counted together.
    ///   - session: The session in which it asks.
    ///   - number: The number of its request.
    ///   - now: Milliseconds of the monotonic clock.
    /// - Returns: Whether it is tried now; the driver ends it with ``ended(_:number:)``.
    mutating func begins(_ device: DeviceID, on session: SessionID, number: UInt64, at now: UInt64) -> Bool {
        tried = tried.filter { now < $0.value + Self.pauseMilliseconds }
        guard underWay == nil, tried[device] == nil, tried.count < Self.deviceCountMax else { return false }
        underWay = (session, number)
        tried[device] = now
        return true
    }

    /// The attempt is over.
    /// - Returns: Whether it was the one under way.
    mutating func ended(_ session: SessionID, number: UInt64) -> Bool {
        guard let current = underWay, current == (session, number) else { return false }
        underWay = nil
        return true
    }
}
