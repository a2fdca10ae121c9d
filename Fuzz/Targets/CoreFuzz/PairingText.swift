import FuzzKit
import Identity
import Records
import TestSupport
import Wire

/// What people type or programs write into paths: tickets, device codes, recovery phrases, identifiers, versions.
let pairingTextTarget = FuzzTarget(
    "pairing-text",
    inputByteCountMax: 600,
    run: { bytes in
        guard let form = bytes.first else { return }
        read(String(decoding: bytes.dropFirst(), as: UTF8.self), as: form % 6)
    },
    seeds: {
        var generator = SeededGenerator(seed: 5)
        let texts: [[String]] = [
            (0..<6).map { _ in PairingTicket(using: &generator).text }
                + [PairingTicket(using: &generator).qrContent.lowercased()],
            (0..<6).map { _ in DeviceCode.text(for: .sample(&generator)) },
            (0..<6).map { _ in RecoveryPhrase(using: &generator).words.joined(separator: " ") },
            (0..<6).map { _ in DeviceID.sample(&generator).text },
            (0..<4).map { _ in RecordVersion(VersionVector.sample(&generator)).text },
            (0..<4).map { _ in Incarnation.sample(&generator).text },
        ]
        return texts.enumerated().flatMap { form, list in list.map { [UInt8(form)] + Array($0.utf8) } }
    }
)

private func read(_ text: String, as form: UInt8) {
    // Each refusal is one of the two outcomes that are allowed.
    switch form {
    case 0:
        guard let ticket = try? PairingTicket(typed: text) else { return }
        demand((try? PairingTicket(typed: ticket.text)) == ticket, "a ticket's text means the ticket")
        demand((try? PairingTicket(typed: ticket.qrContent)) == ticket, "a code's content means the ticket")
        demand((try? ticket.qrCode()) != nil, "a ticket fits its code")
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
