/// A zone that is not there any more for an application.
public struct ZoneDeparture: Sendable, Hashable, Codable {
    /// Why a zone goes.
    public enum Reason: String, Sendable, Hashable, Codable {
        /// The owner deleted the zone, for all members.
        case deleted
        /// This account or this device has no part in it any more.
        case left
        /// Another database shows it.
        case moved
    }

    /// The zone's id.
    public var zone: String
    /// Why it went.
    public var reason: Reason

    /// Makes the departure of a zone.
    public init(zone: String, reason: Reason) {
        self.zone = zone
        self.reason = reason
    }
}

extension ZoneDeparture {
    /// The problem reported for a change that was still to be made in the zone.
    package var problem: Problem {
        let (code, title, fix) =
            switch reason {
            case .deleted: ("zone.deleted", "The zone was deleted", "Keep the change elsewhere, or drop it.")
            case .left:
                ("zone.left", "The zone was left", "Keep the change elsewhere, or ask for another invitation.")
            case .moved:
                ("zone.moved", "Another database shows the zone", "Keep it in step too, or drop the change.")
            }
        return Problem(
            type: "https://kairan.invalid/problems/\(code)",
            title: title,
            status: 0,
            code: code,
            detail: "The zone \(zone) was removed before the change was sent.",
            fix: fix,
            isRetryable: false
        )
    }
}
