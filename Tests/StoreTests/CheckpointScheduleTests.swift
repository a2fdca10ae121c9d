import Store
import Testing

@Suite("The checkpoint schedule")
struct CheckpointScheduleTests {
    private let schedule = CheckpointSchedule(frameCountWhenQuiet: 100, frameCountAlways: 400, byteCountKept: 0)

    @Test(arguments: [
        (99, 0, true, false), (100, 0, true, true), (100, 0, false, false), (399, 0, false, false),
        (400, 0, false, true),
    ])
    func `waits for a quiet moment while the log is short`(frames: Int, moved: Int, isQuiet: Bool, isDue: Bool) {
        #expect(schedule.isDue(frameCount: frames, movedCount: moved, isQuiet: isQuiet) == isDue)
    }

    @Test func `is not repeated before the log has grown again, when a reader held it back`() {
        #expect(!schedule.isDue(frameCount: 150, movedCount: 120, isQuiet: true))
        #expect(schedule.isDue(frameCount: 220, movedCount: 120, isQuiet: true))
    }
}
