import HTTPTypes
package import Node

/// The rows, one a code.
package enum ErrorTable {
    /// All rows, those of the node first.
    package static var rows: [ErrorRow] {
        NodeError.Code.allCases.map(row) + RequestError.Code.allCases.map(row)
    }

    /// The row of a code of the node.
    package static func row(_ code: NodeError.Code) -> ErrorRow {
        let (status, title) = meaning(code)
        let isRetryable =
            switch code {
            // The state of the machine or of the daemon is to blame, not the request.
            case .diskFull, .storageFailed, .notReady, .busy, .rightWaiting, .zoneNoKey, .guestUnreachable,
                .messageIncomplete, .assetUnavailable, .assetBusy, .linkChanged:
                true
            default: false
            }
        return ErrorRow(code: code.rawValue, status: status.code, title: title, isRetryable: isRetryable)
    }

    /// The row of a code of the interface itself.
    package static func row(_ code: RequestError.Code) -> ErrorRow {
        let (status, title) = meaning(code)
        return ErrorRow(code: code.rawValue, status: status.code, title: title, isRetryable: code == .tooMany)
    }

    private static func meaning(_ code: NodeError.Code) -> (HTTPResponse.Status, String) {
        switch code {
        case .invalidArgument: (.badRequest, "A value is not allowed")
        case .zoneUnknown: (.notFound, "There is no such zone")
        case .zoneAmbiguous: (.conflict, "Several zones have this name")
        case .zoneDeleted: (.gone, "The zone was deleted")
        case .zoneForeign: (.forbidden, "The zone belongs to another account")
        case .zoneIsDefault: (.conflict, "The zone is its container's default zone")
        case .zoneIsPair: (.conflict, "The zone belongs to two accounts")
        case .accountUnpaired: (.conflict, "The account's key for pair zones is not known")
        case .containerUnknown: (.notFound, "There is no such container")
        case .zoneExists: (.conflict, "The zone exists already")
        case .recordUnknown: (.notFound, "There is no such record")
        case .recordDeleted: (.notFound, "The record was deleted")
        case .recordTooLarge: (.contentTooLarge, "The record is too large")
        case .schemaViolation: (.unprocessableContent, "The record does not fit its schema")
        case .schemaNotAdditive: (.conflict, "Production can only be extended")
        case .schemaTooLarge: (.contentTooLarge, "The schema is too large")
        case .schemaUnknown: (.notFound, "The container has no schema")
        case .versionMismatch: (.conflict, "The record has changed")
        case .conflictUnknown: (.notFound, "There is no such conflict")
        case .quarantineUnknown: (.notFound, "No such write is quarantined")
        case .quarantineNotNow: (.conflict, "A decision about the write is not possible yet")
        case .quarantineNeeded: (.conflict, "The write is needed")
        case .queryBadPredicate: (.badRequest, "The condition cannot be read")
        case .queryBadCursor: (.badRequest, "The cursor is not valid")
        case .queryNotIndexed: (.conflict, "There is no index for this search")
        case .batchTooLarge: (.contentTooLarge, "The request is about too much")
        case .batchRefused: (.conflict, "Another write of the batch was refused")
        case .answerTooLarge: (.contentTooLarge, "The answer would be too large")
        case .tokenExpired: (.gone, "The change token is no longer valid")
        case .ticketMalformed: (.badRequest, "The ticket is mistyped")
        case .ticketExpired: (.gone, "The ticket has expired")
        case .ticketUsed: (.conflict, "The ticket was used before")
        case .ticketNotFound: (.notFound, "No device offers this ticket")
        case .ticketAttempts: (.gone, "The offer is closed")
        case .accountHasDevices: (.conflict, "The account has other devices")
        case .deviceUnknown: (.notFound, "There is no such device")
        case .nameTooMany: (.conflict, "This device has given the maximum number of names")
        case .deviceIsThis: (.conflict, "This is the device itself")
        case .deviceReadOnly: (.forbidden, "The device may not write")
        case .deviceHasZones: (.conflict, "The device has zones of its own")
        case .recoveryUnavailable: (.notFound, "The recovery words are not here")
        case .recoveryMalformed: (.badRequest, "The recovery words are mistyped")
        case .recoveryNotFound: (.notFound, "No device of that account was found")
        case .recoveryReplaced: (.gone, "The recovery words were replaced")
        case .recoveryOtherAccount: (.forbidden, "The recovery words are another account's")
        case .recoveryNotNeeded: (.conflict, "The device is in that account")
        case .enrolmentTooMany: (.conflict, "Too many enrolment tokens are open")
        case .inviteMalformed: (.badRequest, "The text is not an invitation")
        case .inviteSpent: (.conflict, "The invitation was used up")
        case .inviteExpired: (.gone, "The invitation has expired or was withdrawn")
        case .inviteRefused: (.forbidden, "The inviting side has denied the request")
        case .inviteOwnAccount: (.conflict, "The invitation is from this account")
        case .inviteZoneGone: (.gone, "The invitation's zone was deleted")
        case .inviteBadAccount: (.forbidden, "The inviting side did not accept this account")
        case .inviteNoRight: (.forbidden, "The inviting account may no longer delegate the right")
        case .joinTooMany: (.conflict, "Too many invitations wait for an answer")
        case .accountUnknown: (.notFound, "No such account is known")
        case .accountAmbiguous: (.conflict, "The reference fits several accounts")
        case .shareUnknown: (.notFound, "The account has no such right")
        case .shareNeedless: (.conflict, "The account needs no right")
        case .transferUnknown: (.notFound, "The zone is not offered")
        case .accountBlocked: (.conflict, "The account is blocked")
        case .warningUnknown: (.notFound, "There is no such warning")
        case .warningCritical: (.conflict, "The warning is critical")
        case .inviteTooMany: (.conflict, "Too many invitations are open")
        case .inviteUnknown: (.notFound, "There is no such invitation")
        case .inviteOver: (.gone, "The invitation is no longer valid")
        case .requestUnknown: (.notFound, "There is no such request")
        case .requestDenied: (.conflict, "The request was denied")
        case .requestGranted: (.conflict, "The account has joined")
        case .rightNone: (.forbidden, "The account has no right in the zone")
        case .rightLevel: (.forbidden, "The right in the zone is too low")
        case .rightNotDelegable: (.forbidden, "The right may not be delegated")
        case .rightNotDescendant: (.forbidden, "The right was granted by another account")
        case .rightOwnerOnly: (.forbidden, "Only the owner may do this")
        case .rightOwnerLeaves: (.conflict, "An owner cannot leave its zone")
        case .rightNotYetValid: (.forbidden, "The right is not valid yet")
        case .rightExpired: (.forbidden, "The right has expired")
        case .rightWidened: (.forbidden, "The right is wider than the grantor's")
        case .zoneNoKey: (.conflict, "The zone has no key yet")
        case .zoneTooManyActors: (.conflict, "The zone has too many writers")
        case .zoneControlLogFull: (.conflict, "The control log of this device is full")
        case .zoneUnsealed: (.conflict, "The zone is written in clear")
        case .recordNotReadable: (.conflict, "The record cannot be read")
        case .messageUnknown: (.notFound, "There is no such message")
        case .messageTooLarge: (.contentTooLarge, "The message is too large")
        case .messageNoRecipient: (.conflict, "The message has no recipient")
        case .messageIncomplete: (.conflict, "The content of the message is not complete yet")
        case .payloadUnknown: (.notFound, "There is no such payload")
        case .assetUnknown: (.notFound, "There is no such asset")
        case .assetUnavailable: (.serviceUnavailable, "The content of the asset is not here")
        case .assetNotWanted: (.conflict, "The zone's assets are not fetched here")
        case .assetTooLarge: (.contentTooLarge, "The asset is too large")
        case .assetNotSafe: (.conflict, "Too few other devices keep the content")
        case .assetPromised: (.conflict, "This device has promised to keep the content")
        case .assetBusy: (.conflict, "The content of the asset is in use")
        case .assetLinked: (.conflict, "The content is in a linked file")
        case .linkPath: (.badRequest, "The path is beneath no root")
        case .linkUnusable: (.conflict, "The file cannot be linked")
        case .linkChanged: (.conflict, "The file has changed while it was read")
        case .linkDiffers: (.conflict, "The file has other content")
        case .linkUnknown: (.notFound, "The file is not linked to the asset")
        case .messageNotMember: (.conflict, "A recipient may not read the zone")
        case .rightWaiting: (.conflict, "Data for the decision is missing here")
        case .rightTooNarrow: (.forbidden, "The right in the zone is too narrow")
        case .guestUnreachable: (.serviceUnavailable, "No device that may write for this account is in reach")
        case .guestUncertain: (.gatewayTimeout, "The outcome of the write is not known")
        case .guestRefused: (.forbidden, "The zone's owner does not let this account write")
        case .relayBadLink: (.badRequest, "The text is not a link of a relay")
        case .relayUnknown: (.notFound, "No such relay is used")
        case .relayOff: (.conflict, "This machine is not a relay for parcels")
        case .admissionUnknown: (.notFound, "There is no such admission")
        case .admissionTooMany: (.conflict, "There are too many admissions")
        case .forbidden: (.forbidden, "You may not do this")
        case .storageLimit:
            (HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "The application's space is used up")
        case .diskFull: (HTTPResponse.Status(code: 507, reasonPhrase: "Insufficient Storage"), "No space is left")
        case .storageFailed: (.internalServerError, "The storage failed")
        case .notReady: (.serviceUnavailable, "The daemon is not ready")
        case .busy: (.serviceUnavailable, "The daemon is busy")
        case .internalError: (.internalServerError, "Internal error in the daemon")
        }
    }

    private static func meaning(_ code: RequestError.Code) -> (HTTPResponse.Status, String) {
        switch code {
        case .pathUnknown: (.notFound, "There is no such path")
        case .methodNotAllowed: (.methodNotAllowed, "The path does not have this method")
        case .malformedJSON: (.badRequest, "The body is not JSON")
        case .tooLarge: (.contentTooLarge, "The body is too large")
        case .tooSlow: (.requestTimeout, "The body came too slowly")
        case .cutShort: (.badRequest, "The body ended early")
        case .rangeUnsatisfiable: (.rangeNotSatisfiable, "There is nothing in the range")
        case .fromBrowser: (.forbidden, "Not for browsers")
        case .tooMany: (.tooManyRequests, "Too many requests")
        case .adminOnly: (.forbidden, "Not for applications")
        case .readOnly: (.forbidden, "The application may only read")
        case .containerForeign: (.forbidden, "The container is not the application's")
        case .tokenRequired: (.unauthorized, "A token is needed")
        case .tokenUnknown: (.unauthorized, "The token is not known")
        }
    }
}
