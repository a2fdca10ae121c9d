import FuzzKit
import Identity
import Records
import Sodium
import TestSupport
import Wire

/// Text that people type or programs write into paths: tickets, device codes, recovery phrases, identifiers,
/// versions, links of invitations.
let pairingTextTarget = FuzzTarget(
    "pairing-text",
    inputByteCountMax: 600,
    run: { bytes in
        guard let form = bytes.first else { return }
        let rest = bytes.dropFirst()
        // The last numbers are links, so that inputs found before there were links keep their meaning.
        switch form {
        case 0xFF: readLink(String(decoding: rest, as: UTF8.self))
        case 0xFE: readLink(link(InviteLink.prefix, of: Array(rest)))
        case 0xFD: readPublicLink(String(decoding: rest, as: UTF8.self))
        case 0xFC: readPublicLink(link(PublicLink.prefix, of: Array(rest)))
        default: read(String(decoding: rest, as: UTF8.self), as: form % 6)
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 5)
        let texts: [[String]] = [
            (0..<7).map { _ in PairingTicket(using: &generator).text },
            (0..<6).map { _ in DeviceCode.text(for: .sample(&generator)) },
            (0..<6).map { _ in RecoveryPhrase(using: &generator).words.joined(separator: " ") },
            (0..<6).map { _ in DeviceID.sample(&generator).text },
            (0..<4).map { _ in RecordVersion(VersionVector.sample(&generator)).text },
            (0..<4).map { _ in Incarnation.sample(&generator).text },
        ]
        // One address more than a link may name makes no link.
        let links = (0..<6).compactMap { count in
            try? InviteLink(
                secret: InviteSecret(using: &generator),
                account: .sample(&generator),
                addresses: [String](repeating: "host.example:7420", count: count)
            ).text
        }
        let contents = links.compactMap { Base32.decode(String($0.dropFirst(InviteLink.prefix.count)))?.dropLast(4) }
        return texts.enumerated().flatMap { form, list in list.map { [UInt8(form)] + Array($0.utf8) } }
            + links.map { [0xFF] + Array($0.utf8) } + contents.map { [0xFE] + $0 } + publicLinks(&generator)
    }
)

/// Returns a link with some content and its checksum.
private func link(_ prefix: String, of content: [UInt8]) -> String {
    prefix + Base32.encode(content + Blake2b.digest32(.inviteCheck, content).prefix(4))
}

private func readLink(_ text: String) {
    do {
        let link = try InviteLink(typed: text)
        let start = text.drop(while: \.isWhitespace)
        demand(start.utf8.starts(with: link.text.utf8), "a link has one text")
        demand(start.dropFirst(link.text.count).allSatisfy(\.isWhitespace), "nothing stands behind a link")
    } catch {
        demand(!error.description.isEmpty, "a refusal says why")
    }
}

private func readPublicLink(_ text: String) {
    do {
        let link = try PublicLink(typed: text)
        demand(PublicLink.isMeant(by: text), "what is a link is meant as one")
        let start = text.drop(while: \.isWhitespace)
        demand(start.utf8.starts(with: link.text.utf8), "a link has one text")
        demand(start.dropFirst(link.text.count).allSatisfy(\.isWhitespace), "nothing stands behind a link")
    } catch {
        demand(!error.description.isEmpty, "a refusal says why")
    }
}

private func read(_ text: String, as form: UInt8) {
    // Each refusal is one of the two outcomes that are allowed.
    switch form {
    case 0:
        guard let ticket = try? PairingTicket(typed: text) else { return }
        demand((try? PairingTicket(typed: ticket.text)) == ticket, "a ticket's text means the ticket")
    case 1:
        guard let device = try? DeviceCode.device(from: text) else { return }
        demand((try? DeviceCode.device(from: DeviceCode.text(for: device))) == device, "a code means the device")
    case 2:
        do {
            let words = try RecoveryPhrase(typed: text).words.joined(separator: " ")
            demand(
                words == text.lowercased().split(whereSeparator: \.isWhitespace).joined(separator: " "),
                "words stay"
            )
        } catch {
            _ = error.description
        }
    case 3:
        guard let device = DeviceID(text: text) else { return }
        demand(device.text.utf8.elementsEqual(text.utf8), "an identifier has one text")
    case 4:
        guard let version = RecordVersion(text: text) else { return }
        demand(version.text.utf8.elementsEqual(text.utf8), "a version has one text")
    default:
        guard let incarnation = Incarnation(text: text) else { return }
        demand(incarnation.text.utf8.elementsEqual(text.utf8), "an incarnation has one text")
    }
}

/// Links of public zones, whole and as their contents.
private func publicLinks(_ generator: inout SeededGenerator) -> [[UInt8]] {
    ["n", "news", String(repeating: "n", count: 200)].flatMap { name in
        let genesis = ZoneGenesis(
            owner: .sample(&generator),
            container: "org.example.news",
            name: name,
            salt: generator.bytes(ZoneGenesis.saltByteCount),
            history: .full,
            isDefault: false
        )
        let terms = ZoneTerms(genesis: genesis, tagKey: generator.bytes(ZoneTerms.tagKeyByteCount))
        return [[0xFD] + Array(PublicLink(terms).text.utf8), [0xFC, 1] + terms.encoded]
    }
}
