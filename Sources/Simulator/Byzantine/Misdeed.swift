/// A deliberate violation of the protocol by a member.
enum Misdeed: CaseIterable {
    /// Shows two peers two operations in one place, both signed.
    case fork
    /// One operation of a batch has another body than its hash says.
    case wrongBody
    /// An operation's tag is not its name's.
    case wrongTag
    /// A batch ends in its middle.
    case brokenBatch
    /// A body that no decoder accepts.
    case malformedBody
    /// A vector names operations that the head does not claim.
    case inflatedVector
    /// A head claims operations of others that were never written.
    case inflatedHead
    /// A head's root is not that of the items.
    case wrongRoot
    /// The items are not in the log's next places.
    case wrongPlace
    /// A gap with the correct hash stands for an operation that no checkpoint covers.
    case hiddenOperation
    /// A gap under a checkpoint that does not exist.
    case inventedGap
    /// The log of a zone that does not exist.
    case wrongZone
    /// A zone with nothing in it.
    case emptyZone
    /// A zone whose logs are claimed to be longer than they ever were.
    case largerZone
    /// Acknowledges operations that were never sent.
    case falseAcknowledgement
    /// A log of the receiver's own that is longer than it ever was, under a head that the receiver did not sign.
    case forgedHead
    /// Bytes that are no message.
    case garbage
    /// Writes records of a type and a name outside of its right, superseding everything.
    case beyondRight
    /// A log under a right that was never granted.
    case madeUpRight
    /// Grants itself more than it has, and revokes rights that it may not revoke.
    case unlawfulGrant
    /// Passes on logs of others beyond the cuts, as it has them.
    case aboveCut
    /// Sends the terms and state of a zone to a device that is no party of it.
    case tellsZone
    /// Asks for a zone that it may not see.
    case asksForZone
    /// Claims another account's zone as its own.
    case falseTerms
    /// Answers requests for a payload with another outline, or with altered chunks, from then on.
    case falsePayloads
    /// Claims from then on that it has nothing of any payload.
    case withholdsPayloads
    /// Leaves out a part of the live set in its answers, from then on.
    case falseLiveSets
    /// Seals under an epoch that does not exist, whose key no device will ever have.
    case unknownEpoch
    /// Seals garbage.
    case garbledSeal
    /// Commits to another key than the one that opens the body.
    case falseCommitment
    /// Passes off a body sealed for another operation as its own.
    case foreignSeal
    /// Seals the body of one record under the tag of another one.
    case sealedOtherName
    /// States outside of the seal that it deletes, and the contrary inside, or the other way round.
    case falseTombstone
    /// Gives a message of another device another text, under the dots of that device.
    case altersMessage
    /// Repeats a message of another device as another record, sometimes with another text, under the dots of that
    /// device.
    case repeatsMessage
    /// States in the receipts of another device that a message was read, under the dots of that device.
    case altersReceipts
    /// Puts a key of its own in place of another device's prekey, under the dots of that device.
    case altersPrekey
    /// Names a relay in the announcement of another account, under the dots of that account's devices.
    case altersAnnouncement

    /// Misdeeds of a member of the one account.
    static let ofDevices = allCases.filter {
        !ofMembers.contains($0) && !ofPayloads.contains($0) && !ofLiveSets.contains($0) && !ofSeals.contains($0)
            && !ofStatements.contains($0)
    }
    /// Misdeeds of an account that participates in another account's zones.
    static let ofMembers: [Misdeed] = [
        .beyondRight, .beyondRight, .madeUpRight, .unlawfulGrant, .aboveCut, .tellsZone, .asksForZone, .falseTerms,
    ]
    /// Misdeeds against devices that fetch payloads.
    static let ofPayloads: [Misdeed] = [.falsePayloads, .withholdsPayloads]
    /// Misdeeds against devices that were away.
    static let ofLiveSets: [Misdeed] = [.falseLiveSets]
    /// Misdeeds with sealed bodies: every receiver must take the operation, and a device that can open it finds that
    /// it is void.
    static let ofSeals: [Misdeed] = [
        .unknownEpoch, .garbledSeal, .falseCommitment, .foreignSeal, .sealedOtherName, .falseTombstone,
    ]
    /// Misdeeds with statements of other devices: every receiver must take the operation, whose dots are those of the
    /// other device, and believes no value that this device has not made.
    static let ofStatements: [Misdeed] = [
        .altersMessage, .repeatsMessage, .altersReceipts, .altersPrekey, .altersAnnouncement,
    ]
}
