/// The author of an account entry.
///
/// ```
/// +-------+------------------------------------+
/// | tag 1 | 1 device 32 B, 2 recovery: nothing |
/// +-------+------------------------------------+
/// ```
package enum AccountAuthor: Hashable, Sendable {
    /// A device, with its identity key.
    case device(DeviceID)
    /// The holder of the recovery key.
    case recovery
}

/// One fact of an account's history.
///
/// ```
/// +------+---------------------+--------------+----------------------+--------+------------+---------------+
/// |  1   | account optional 32 | count varint | count × parent 32 B  | author | nonce 16 B | AccountAction |
/// +------+---------------------+--------------+----------------------+--------+------------+---------------+
/// ```
///
/// The genesis, and only the genesis, has neither account (its hash becomes the account's id) nor parents.
package struct AccountEntry: Hashable, Sendable {
    /// The account; `nil` only in the genesis.
    package let account: AccountID?
    /// Hashes of all heads that the author had seen, ascending; empty only in the genesis.
    package let parents: [Hash]
    /// The author, who signs.
    package let author: AccountAuthor
    /// 16 random bytes that make equal facts two entries, and blind the zones of cuts.
    package let nonce: [UInt8]
    /// The action of the entry.
    package let action: AccountAction

    /// Makes an entry, and sorts the parents.
    /// - Parameters: as the properties of the same names.
    /// - Precondition: the nonce has 16 bytes.
    package init(
        account: AccountID?,
        parents: [Hash],
        author: AccountAuthor,
        nonce: [UInt8],
        action: AccountAction
    ) {
        precondition(nonce.count == Self.nonceByteCount, "an account entry's nonce has 16 bytes")
        self.account = account
        self.parents = parents.inWireOrder()
        self.author = author
        self.nonce = nonce
        self.action = action
    }

    /// The number of bytes of the nonce.
    package static let nonceByteCount = 16
    /// The format that this code writes and reads.
    package static let format: UInt8 = 1
}

extension AccountAuthor: WireCodable {
    package func encode(into writer: inout WireWriter) {
        switch self {
        case .device(let device):
            writer.writeByte(1)
            writer.write(device)
        case .recovery:
            writer.writeByte(2)
        }
    }

    package init(from reader: inout WireReader) throws(WireError) {
        let tag = try reader.readByte()
        switch tag {
        case 1: self = .device(try DeviceID(from: &reader))
        case 2: self = .recovery
        default: throw .unknownTag(UInt64(tag))
        }
    }
}

extension AccountEntry: WireCodable {
    package func encode(into writer: inout WireWriter) {
        writer.writeByte(Self.format)
        writer.writeOptional(account)
        writer.writeList(parents)
        writer.write(author)
        writer.writeFixed(nonce, count: Self.nonceByteCount)
        writer.write(action)
    }

    package init(from reader: inout WireReader) throws(WireError) {
        try reader.readFormat(Self.format)
        account = try reader.readOptional()
        parents = try reader.readAscending(
            maximum: Limits.accountHeadCountMax,
            itemByteCountMin: Digest32.byteCount
        )
        author = try AccountAuthor(from: &reader)
        nonce = try reader.readFixed(Self.nonceByteCount)
        action = try AccountAction(from: &reader)
        guard action.isGenesis == (account == nil) else { throw .invalidValue("account") }
        guard action.isGenesis == parents.isEmpty else { throw .invalidValue("parents") }
    }
}

extension AccountEntry: SignedBody {
    package static var signedByteCountMax: Int { Limits.accountEntryByteCountMax }
}

/// An account entry with its signature, which holding it here does not verify.
package typealias SignedAccountEntry = Signed<AccountEntry>

extension SignedAccountEntry {
    /// The entry that is signed.
    package var entry: AccountEntry { body }
}
