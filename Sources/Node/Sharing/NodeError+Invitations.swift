import Identity
import Sync
import Wire

extension NodeError {
    /// The error for a text that is no link.
    init(_ error: InviteLinkError) {
        self.init(
            .inviteMalformed,
            "This is not an invitation: \(error).",
            fix: "Copy the whole link again, or ask for another one."
        )
    }

    /// The error for a refusal, with its remedy.
    init(_ code: JoinRefusalCode) {
        switch code {
        case .spent:
            self.init(.inviteSpent, "The invitation was used up.", fix: "Ask the inviting person for another one.")
        case .expired:
            self.init(.inviteExpired, "The invitation has expired or was withdrawn.", fix: "Ask for another one.")
        case .refused:
            self.init(.inviteRefused, "The inviting side has denied the request.", fix: "Ask the inviting person.")
        case .ownAccount:
            self.init(
                .inviteOwnAccount,
                "The invitation is from this device's own account.",
                fix: "Open it on a device of another account; this account's devices have the zone already."
            )
        case .zoneGone:
            self.init(.inviteZoneGone, "The zone was deleted.", fix: "Ask the inviting person what to use instead.")
        case .badAccount:
            self.init(
                .inviteBadAccount,
                "The inviting side did not accept this account's log.",
                fix: "Open the invitation on a device of the account with the role full (`kairan device ls`)."
            )
        case .noRight:
            self.init(
                .inviteNoRight,
                "The inviting account may no longer delegate this right.",
                fix: "Ask the owner of the zone for an invitation."
            )
        case .busy:
            self.init(.busy, "The inviting side is overloaded.", fix: "The daemon tries again.")
        }
    }
}
