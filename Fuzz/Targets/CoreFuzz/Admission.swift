import FuzzKit
import Session
import TestSupport

/// Who may begin a handshake: a program of connections from many addresses under a clock that may also go back.
let admissionTarget = FuzzTarget(
    "admission",
    inputByteCountMax: 1_024,
    run: { bytes in
        var input = FuzzInput(bytes)
        let configuration = AdmissionLimiter<UInt8>.Configuration(
            halfOpenMax: 1 + input.below(16),
            halfOpenPerAddressMax: 1 + input.below(4),
            burst: 1 + input.below(8),
            refillMilliseconds: 1 + input.number() % (1 << 40),
            addressCountMax: 1 + input.below(12)
        )
        var limiter = AdmissionLimiter<UInt8>(configuration: configuration)
        var tickets: [AdmissionLimiter<UInt8>.Ticket] = []
        var now = input.number()
        while !input.isEmpty {
            switch input.below(4) {
            case 0, 1:
                if case .admitted(let ticket) = limiter.connected(from: input.byte(), now: now) {
                    tickets.append(ticket)
                }
            case 2:
                if !tickets.isEmpty { limiter.finished(tickets.remove(at: input.below(tickets.count))) }
            default:
                now = input.bool() ? now &+ input.number() : input.number()
            }
            demand(limiter.halfOpenCount == tickets.count, "each admission is counted once")
            demand(tickets.count <= configuration.halfOpenMax, "no more are half open than may be")
            demand(limiter.addressCount <= configuration.addressCountMax + 1, "no more addresses are kept than may be")
        }
    },
    seeds: {
        var generator = SeededGenerator(seed: 7)
        return (0..<30).map { _ in generator.bytes(20 + generator.below(200)) }
    }
)
