import FileRecords
import FoundationEssentials
import KairanInterface
import Testing

@testable import Importing

@Suite("Batches of writes")
struct WriteQueueTests {
    private func write(_ index: Int, thumbnail: Int = 0) -> PendingWrite {
        let content = AssetDescription(asset: "A", thumbnail: Data(repeating: 0, count: thumbnail))
        let write = RecordWrite("r\(index)", fields: ["content": .asset(content)])
        return PendingWrite(index: index, write: write, digest: nil, kind: .added)
    }

    @Test("A write waits for others, and not for longer than two seconds")
    func time() {
        var queue = WriteQueue()
        #expect(queue.take(at: 0, isIdle: true) == nil)
        queue.add(write(0), at: 100)
        queue.add(write(1), at: 2_000)
        #expect(queue.isWaiting)
        #expect(queue.take(at: 2_099, isIdle: false) == nil)
        #expect(queue.take(at: 2_100, isIdle: false)?.map(\.index) == [0, 1])
        #expect(!queue.isWaiting)
        #expect(!queue.isEmpty, "the batch is not answered")
        queue.sent()
        #expect(queue.isEmpty)
    }

    @Test("No write waits where none will come")
    func idle() {
        var queue = WriteQueue()
        queue.add(write(0), at: 0)
        #expect(queue.take(at: 0, isIdle: true)?.count == 1)
    }

    @Test("A batch has at most 256 writes, and one is sent at a time")
    func count() {
        var queue = WriteQueue()
        for index in 0..<300 { queue.add(write(index), at: 0) }
        #expect(queue.take(at: 0, isIdle: false)?.count == WriteQueue.countMax)
        #expect(queue.take(at: 0, isIdle: true) == nil)
        queue.sent()
        #expect(queue.take(at: 0, isIdle: false) == nil)
        #expect(queue.take(at: 2_000, isIdle: false)?.map(\.index) == Array(256..<300))
    }

    @Test("A batch has about three mebibytes at most")
    func bytes() {
        var queue = WriteQueue()
        for index in 0..<200 { queue.add(write(index, thumbnail: 16_384), at: 0) }
        var counts: [Int] = []
        while let batch = queue.take(at: 0, isIdle: true) {
            counts.append(batch.count)
            #expect(batch.reduce(0) { $0 + $1.byteCount } <= WriteQueue.byteCountMax)
            queue.sent()
        }
        #expect(counts.count == 2)
        #expect(counts.reduce(0, +) == 200)
    }
}
