import Records
import Sync
import Testing
import Wire

@Suite struct `A stretch of a log in a parcel` {
    @Test func `has the same log and sizes after it was stored`() throws {
        let stretch = PostedParcelRow.Stretch(key: Sample.log(3, zone: 1, .control), from: 4, size: 300)
        #expect(try PostedParcelRow.Stretch(decoding: stretch.encoded) == stretch)
    }
}
