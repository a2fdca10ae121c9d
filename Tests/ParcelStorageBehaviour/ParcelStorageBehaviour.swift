package import Mailbox

/// The promises of every storage of a relay.
///
/// Each case is a sentence and a check on an empty storage. That there are at most `Admission.countMax` admissions is
/// left to the storages' own tests: it takes long on some.
package enum ParcelStorageBehaviour: String, CaseIterable, Sendable {
    case parcelsAreKept = "a parcel is kept as it was put, the largest one too"
    case parcelsCountOnce = "a parcel that is put again counts once, and keeps its place"
    case parcelsAreProlonged = "a parcel that is put again is kept until the later of the two times"
    case parcelsAreInSeveralMailboxes = "a parcel in two mailboxes is two parcels"
    case quotasBound = "no more is kept under an admission than its quota"
    case mailboxesHaveAShare = "one mailbox takes no more than its share of a quota"
    case theTotalBounds = "no more is kept in all than there is room for"
    case whatIsKeptIsKeptWhenFull = "what is kept already may be put again when there is no room for more"
    case strangersPutNothing = "nothing is kept without an admission, and nothing prolonged"
    case dismissalDropsParcels = "an admission that ends takes its parcels along, and nobody else's"
    case passesAreGiven = "a pass has a part of its giver's quota, beside it, and ends with its time or its giver"
    case passesAreBounded = "an admission gives so many passes and no more, a pass none, and nobody another one's"
    case admissionsAreListed = "admissions are listed by the time at which they were made"
    case usageIsExact = "what is said to be kept under an admission follows what is put, removed and expired"
    case mailboxesAreListed = "parcels are listed in the order of the mailboxes, then of their coming, up to the limit"
    case absentThingsAreAbsent = "what is not there is not found, and does not matter when it is removed"
    case removalIsExact = "a removal takes what it names and nothing else"
    case heldKeepsOrder = "those that are held are named in the order in which they were asked for"
    case timeTakesParcels = "parcels whose time is over go, as many as the limit allows, and no others"
    case manyMayPutAtOnce = "parcels that are put at once are all kept, and the same one once"
    case slotsAreWrittenOnce = "a slot keeps the first value, and everybody is answered that"
    case oneOfManyIsFirst = "of many who write one slot at once one is first, and all are answered the same"
    case slotsCount = "slots count to the quota, and what is written is answered when there is no room for more"
    case timeTakesSlots = "slots whose time is over go, and can be written anew"
    case dismissalDropsSlots = "an admission that ends takes its slots along, and nobody else's"
    case slotsAreDurable = "slots are there after the storage was opened again"
    case allIsDurable = "everything is there after the storage was opened again"

    /// A result of a check that differs from the promise.
    package struct Failure: Error, CustomStringConvertible {
        /// The promise and the place.
        package let description: String
    }

    /// Opens a storage again: closes it, if that is needed, and returns another one over the same contents.
    package typealias Reopening = @Sendable (any ParcelStorage) async throws -> any ParcelStorage

    /// Runs the check.
    /// - Parameters:
    ///   - storage: An empty storage.
    ///   - reopening: The way to open it again; without it, everything but durability is checked.
    /// - Throws: `Failure`, or an error of the storage.
    package func check(in storage: any ParcelStorage, reopening: Reopening? = nil) async throws {
        switch self {
        case .parcelsAreKept: try await checkPut(storage)
        case .parcelsCountOnce: try await checkPutTwice(storage)
        case .parcelsAreProlonged: try await checkProlonging(storage)
        case .parcelsAreInSeveralMailboxes: try await checkTwoMailboxes(storage)
        case .quotasBound: try await checkQuota(storage)
        case .mailboxesHaveAShare: try await checkShare(storage)
        case .theTotalBounds: try await checkTotal(storage)
        case .whatIsKeptIsKeptWhenFull: try await checkPutWhenFull(storage)
        case .strangersPutNothing: try await checkStrangers(storage)
        case .dismissalDropsParcels: try await checkDismissal(storage)
        case .passesAreGiven: try await checkPasses(storage)
        case .passesAreBounded: try await checkPassBounds(storage)
        case .admissionsAreListed: try await checkAdmissions(storage)
        case .usageIsExact: try await checkUsage(storage)
        case .mailboxesAreListed: try await checkListing(storage)
        case .absentThingsAreAbsent: try await checkAbsence(storage)
        case .removalIsExact: try await checkRemoval(storage)
        case .heldKeepsOrder: try await checkHeld(storage)
        case .timeTakesParcels: try await checkExpiry(storage)
        case .manyMayPutAtOnce: try await checkAtOnce(storage)
        case .slotsAreWrittenOnce: try await checkSlots(storage)
        case .oneOfManyIsFirst: try await checkSlotsAtOnce(storage)
        case .slotsCount: try await checkSlotQuota(storage)
        case .timeTakesSlots: try await checkSlotExpiry(storage)
        case .dismissalDropsSlots: try await checkSlotDismissal(storage)
        case .slotsAreDurable: try await checkSlotDurability(storage, reopening)
        case .allIsDurable: try await checkDurability(storage, reopening)
        }
    }

    /// Fails unless a condition holds.
    func require(_ condition: Bool, line: Int = #line) throws {
        guard condition else { throw Failure(description: "\(rawValue) (line \(line))") }
    }

    /// Returns a value that must be there.
    func required<Value>(_ value: Value?, line: Int = #line) throws -> Value {
        guard let value else { throw Failure(description: "\(rawValue): nothing (line \(line))") }
        return value
    }

    /// Fails unless two values are the same, and shows them.
    func same<Value: Equatable>(_ found: Value, _ expected: Value, line: Int = #line) throws {
        guard found == expected else {
            throw Failure(description: "\(rawValue): \(found) is not \(expected) (line \(line))")
        }
    }
}
