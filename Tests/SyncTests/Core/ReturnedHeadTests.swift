import Testing
import Wire

@testable import Sync

@Suite struct `The head of a peer's own log` {
    @Test func `is returned once for each size that is held here, from the first operation on`() {
        var window = SendingWindow()
        let key = Sample.log(2)
        var begun: [Bool] = []
        for size in [1, 1, 2] as [UInt64] {
            begun.append(window.beginReturn(key, size: size))
            window.endProbe(key)
        }
        #expect(begun == [true, false, true])
    }
}
