import FuzzKit
import Identity
import Peering
import TestSupport
import Wire

@testable import Node

/// The files that a daemon keeps beside its keys.
///
/// They hold the entries of accounts' logs, the invitations that were opened, and the tokens that were issued; they
/// may have been damaged, or changed by the person who restored them.
///
/// Law: a file that is read is written so that it reads the same.
let nodeFileTarget = FuzzTarget(
    "node-files",
    inputByteCountMax: 600,
    run: { bytes in
        guard let form = bytes.first else { return }
        let file = Array(bytes.dropFirst())
        switch form % 3 {
        case 0: read(AccountEntryList.self, file)
        case 1: read(OpenedInvitations.self, file)
        default: read(EnrolmentBook.self, file)
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 26)
        let links = (0..<4).compactMap { count in
            try? InviteLink(
                secret: InviteSecret(using: &generator),
                account: AccountID(known("a digest", Digest32(generator.bytes(32)))),
                addresses: [String](repeating: "host.example:7420", count: count)
            )
        }
        return (0..<6).flatMap { count -> [[UInt8]] in
            let list = AccountEntryList(entries: (0..<count).map { generator.bytes(9 * $0) })
            var desk = InvitationCore<PeerAddress>()
            for link in links.prefix(count) { _ = desk.begin(link, at: 1_700_000_000_000 + generator.next() % 99) }
            var book = EnrolmentBook()
            for place in 0..<count {
                let token = EnrolmentToken(using: &generator)
                _ = book.add(
                    EnrolmentOffer(token: token, role: .full, uses: UInt32(place + 1), endMilliseconds: 1 << 41)
                )
            }
            return [[0] + list.encoded, [1] + OpenedInvitations(desk).encoded, [2] + book.encoded]
        }
    }
)

private func read<File: WireCodable>(_ type: File.Type, _ bytes: [UInt8]) {
    // A refusal is one of the two outcomes that are allowed.
    guard let file = try? File(decoding: bytes) else { return }
    demand(file.encoded == bytes, "a file has one form: \(type)")
}
