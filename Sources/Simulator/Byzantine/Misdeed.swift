/// What a member does that breaks the protocol on purpose.
enum Misdeed: CaseIterable {
    /// Shows two peers two operations in one place, both signed.
    case fork
    /// One operation of a batch has another body than its hash says.
    case wrongBody
    /// An operation's tag is not its name's.
    case wrongTag
    /// A batch ends in its middle.
    case brokenBatch
    /// A body that no decoder takes.
    case malformedBody
    /// A vector names operations that the head does not claim.
    case inflatedVector
    /// A head claims operations of others that were never written.
    case inflatedHead
    /// A head's root is not that of the items.
    case wrongRoot
    /// The items are not in the log's next places.
    case wrongPlace
    /// A gap, hashed as it has to be, stands for an operation that no checkpoint covers.
    case hiddenOperation
    /// A gap under a checkpoint that nobody made.
    case inventedGap
    /// The log of a zone that does not exist.
    case wrongZone
    /// A zone with nothing in it.
    case emptyZone
    /// A zone with more of everybody's logs than was ever written.
    case largerZone
    /// Acknowledges what was never sent.
    case falseAcknowledgement
    /// Bytes that are no message.
    case garbage
    /// Writes records of a type and a name that its right does not reach to, on top of everything.
    case beyondRight
    /// A log under a right that nobody gave.
    case madeUpRight
    /// Grants itself more than it has, and takes back what is not its own to take.
    case unlawfulGrant
    /// Passes on logs of others beyond what counts, as it has them.
    case aboveCut
    /// Tells of a zone to whoever is no party of it.
    case tellsZone
    /// Asks for a zone that it may not see.
    case asksForZone
    /// Says that somebody else's zone is its own.
    case falseTerms
    /// Answers whoever asks for a payload with another outline, or with chunks that are changed, from then on.
    case falsePayloads
    /// Says from then on that it has nothing of any payload.
    case withholdsPayloads
    /// Leaves out some of what lives when it is asked for it, from then on.
    case falseLiveSets
    /// Seals under an epoch that nobody began, whose key nobody will ever have.
    case unknownEpoch
    /// What is sealed is garbage.
    case garbledSeal
    /// Commits to another key than the one that opens the body.
    case falseCommitment
    /// Passes off what was sealed for another operation as its own.
    case transplantedSeal
    /// Seals the body of one record under the tag of another one.
    case sealedOtherName
    /// Says outside of the seal that it deletes, and inside that it does not, or the other way round.
    case falseTombstone

    /// What a member of the one account does.
    static let ofDevices = allCases.filter {
        !ofMembers.contains($0) && !ofPayloads.contains($0) && !ofLiveSets.contains($0) && !ofSeals.contains($0)
    }
    /// What an account does that takes part in another's zones.
    static let ofMembers: [Misdeed] = [
        .beyondRight, .beyondRight, .madeUpRight, .unlawfulGrant, .aboveCut, .tellsZone, .asksForZone, .falseTerms,
    ]
    /// What is done to those who want to have what a message says.
    static let ofPayloads: [Misdeed] = [.falsePayloads, .withholdsPayloads]
    /// What is done to those who were away.
    static let ofLiveSets: [Misdeed] = [.falseLiveSets]
    /// What is done with bodies where they are sealed: everybody has to take it, and who can open it finds that it is nothing.
    static let ofSeals: [Misdeed] = [
        .unknownEpoch, .garbledSeal, .falseCommitment, .transplantedSeal, .sealedOtherName, .falseTombstone,
    ]
}
