// Deflate.java -- Eight threads that pack and unpack by a native library, and compare, until the
// standard input ends.
//
// SPDX-License-Identifier: LGPL-2.1-or-later
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicLong;
import java.util.zip.Deflater;
import java.util.zip.Inflater;

public class Deflate {
	static final AtomicLong done = new AtomicLong(), bad = new AtomicLong();
	static volatile boolean mustEnd;

	static void work(int number) throws Exception {
		byte[] data = new byte[50000], packed = new byte[60000], plain = new byte[50000];
		for (int turn = 0; !mustEnd; turn++) {
			for (int i = 0; i < data.length; i++)
				data[i] = (byte) (i / (1 + turn % 50) + number);
			Deflater deflater = new Deflater();
			deflater.setInput(data);
			deflater.finish();
			int length = deflater.deflate(packed);
			deflater.end();
			Inflater inflater = new Inflater();
			inflater.setInput(packed, 0, length);
			inflater.inflate(plain);
			inflater.end();
			if (!Arrays.equals(data, plain))
				bad.incrementAndGet();
			done.incrementAndGet();
			Thread.sleep(1);
		}
	}

	public static void main(String[] words) throws Exception {
		Thread[] threads = new Thread[8];
		for (int i = 0; i < threads.length; i++) {
			int number = i;
			threads[i] = new Thread(() -> {
				try {
					work(number);
				} catch (Exception e) {
					bad.incrementAndGet();
				}
			});
			threads[i].start();
		}
		System.out.println("ready");
		while (System.in.read() >= 0)
			;
		mustEnd = true;
		for (Thread thread : threads)
			thread.join();
		System.out.println("done=" + done + " bad=" + bad);
	}
}
