package import Wire

/// The enrolment tokens that this device has given out, as its file keeps them.
///
/// | state of a token | a machine that is new | a machine that is in the account, by this token or otherwise |
/// |---|---|---|
/// | open | `accepted`, one use fewer | `known` |
/// | used up, time not over | `used` | `known` |
/// | time over, withdrawn, never made | `unknown` | `unknown` |
///
/// A used-up token is kept until its time is over, so that a machine whose welcome was lost gets another one.
package struct EnrolmentBook: Sendable, Equatable {
    /// The verdict on a token that a machine shows.
    package enum Verdict: Sendable, Equatable {
        /// The machine may be added, with this role, once the book is on disk.
        case accepted(DeviceRole)
        /// The machine is a member already, and may be welcomed again.
        case known
        /// All uses of the token are taken.
        case used
        /// There is no such token, or not any more.
        case unknown
    }

    /// The maximum number of tokens: each one is a key that a stranger's first bytes are compared with.
    package static let countMax = 8

    /// The tokens, oldest first.
    package private(set) var offers: [EnrolmentOffer] = []

    /// No tokens.
    package init() {}

    /// Adds a token; one that is used up gives way when there are too many.
    /// - Parameter offer: The token.
    /// - Returns: Whether there was room.
    package mutating func add(_ offer: EnrolmentOffer) -> Bool {
        if offers.count >= Self.countMax, let spent = offers.firstIndex(where: { $0.usesLeft == 0 }) {
            offers.remove(at: spent)
        }
        guard offers.count < Self.countMax else { return false }
        offers.append(offer)
        return true
    }

    /// Redeems a token that a machine shows.
    /// - Parameters:
    ///   - identifier: Names the token.
    ///   - isMember: Whether the machine is in the account already.
    ///   - milliseconds: The time now.
    /// - Returns: The verdict; a use is counted with `accepted`.
    package mutating func redeem(_ identifier: [UInt8], isMember: Bool, at milliseconds: UInt64) -> Verdict {
        guard let index = offers.firstIndex(where: { $0.token.identifier == identifier }),
            !offers[index].isOver(at: milliseconds)
        else { return .unknown }
        if isMember { return .known }
        guard offers[index].usesLeft > 0 else { return .used }
        offers[index].use()
        return .accepted(offers[index].role)
    }

    /// Returns the role of the machines that a token admits.
    /// - Parameter identifier: Names the token.
    /// - Returns: The role; `nil` for a token that is not here.
    package func role(of identifier: [UInt8]) -> DeviceRole? {
        offers.first { $0.token.identifier == identifier }?.role
    }

    /// Forgets tokens whose time is over.
    /// - Parameter milliseconds: The time now.
    /// - Returns: Whether there were any.
    package mutating func forgetExpired(at milliseconds: UInt64) -> Bool {
        let count = offers.count
        offers.removeAll { $0.isOver(at: milliseconds) }
        return offers.count < count
    }
}

extension EnrolmentBook: WireCodable {
    private static let version: UInt8 = 1

    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.version)
        writer.writeCount(offers.count)
        for offer in offers { writer.write(offer) }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        guard try reader.readByte() == Self.version else { throw .invalidValue("enrolment format") }
        let count = try reader.readCount(maximum: Self.countMax, itemByteCountMin: EnrolmentToken.byteCount)
        for _ in 0..<count { offers.append(try EnrolmentOffer(from: &reader)) }
    }
}
