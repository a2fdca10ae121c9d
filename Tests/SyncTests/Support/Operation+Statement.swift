@testable import Records
import Wire

extension Operation {
    /// An operation of a control log whose author has seen some others.
    static func statement(_ body: ControlBody, at dot: Dot, seen: [Dot] = []) -> Operation {
        let header = OperationHeader(
            counter: dot.counter,
            tag: .zero,
            vector: VersionVector(covering: seen + [dot]),
            creation: dot,
            controlHeads: .zero,
            epoch: .zero,
            time: HybridTime(milliseconds: dot.counter),
            batch: .single,
            bodyHash: Operation.bodyHash(body.encoded)
        )
        return Operation(header: header, body: body.encoded)
    }
}
