import FuzzKit
import Records
import TestSupport
import Wire

/// The merge of siblings whose bodies came from peers: the order does not matter, repetitions do not, and the shown
/// record can be stored.
let mergeTarget = FuzzTarget(
    "merge",
    inputByteCountMax: 4_096,
    run: { bytes in
        let siblings = siblings(in: bytes)
        guard let merged = Merge.merge(siblings) else {
            demand(siblings.isEmpty, "siblings give a record")
            return
        }
        demand(Merge.merge(siblings.reversed()) == merged, "the order of siblings does not matter")
        demand(Merge.merge(siblings + siblings) == merged, "repeated siblings do not matter")
        let body = merged.body
        // A refusal is a violation of the law.
        demand((try? body.checkedEncoding()) != nil, "what is shown can be stored")
        _ = merged.conflictFields
        _ = merged.version.text
    },
    seeds: {
        var generator = SeededGenerator(seed: 3)
        return (0..<80).map { _ in
            (0..<(1 + generator.below(4))).flatMap { _ -> [UInt8] in
                let body = RecordBody.sample(&generator).encoded
                return [UInt8(generator.below(16)), UInt8(generator.below(256)), UInt8(body.count >> 8 & 255)]
                    + [UInt8(body.count & 255)] + body
            }
        }
    }
)

/// Reads siblings as a verified log would give them: one of each actor, the vector covers all that the body names.
private func siblings(in bytes: [UInt8]) -> [Sibling] {
    var input = FuzzInput(bytes)
    var siblings: [Sibling] = []
    var used: Set<ActorID> = []
    var name: String?
    while !input.isEmpty, siblings.count < 8 {
        let (choice, counter) = (input.byte(), UInt64(input.byte()) + 1)
        let count = Int(input.byte()) << 8 | Int(input.byte())
        // A refusal ends the list; a log never holds such a body.
        guard var body = try? RecordBody(decoding: input.bytes(count)) else { break }
        // Where bodies share an actor already seen in their dots, the dots meet.
        let actor = ActorID(Digest32(word0: UInt64(choice % 8), word1: 0, word2: 0, word3: 0))
        guard used.insert(actor).inserted else { continue }
        body.name = name ?? body.name
        name = body.name
        let own = Dot(actor: actor, counter: counter)
        var vector = VersionVector(covering: [own])
        for entry in body.fields.lazy.flatMap(\.entries) {
            vector.merge(entry.dot)
            switch entry.value {
            case .counter(let state): state.entries.forEach { vector.merge($0.dot) }
            case .set(let state): state.entries.forEach { $0.dots.forEach { vector.merge($0) } }
            default: break
            }
        }
        // An author counts on from its own writes: its own entry is the operation's counter.
        guard vector[actor] == counter else { continue }
        let time = HybridTime(raw: UInt64(choice) << 20)
        siblings.append(Sibling(dot: own, vector: vector, creation: own, time: time, body: body))
    }
    return siblings
}
