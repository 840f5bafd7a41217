/* video.h -- raw pictures to an .mp4 file, if ffmpeg is installed. The file is written under another name and renamed when it is
   complete. */
#ifndef VIDEO_H
#define VIDEO_H

typedef struct video video;

/* video_possible -- 1 when there is an ffmpeg on PATH and the file can be written; 0 after a message. */
int video_possible(const char *path);
/* video_open -- NULL after a message. */
video *video_open(const char *path, int width, int height, double rate);
/* video_write -- a picture [3 width height], red, green, blue; 0 after a message. */
int video_write(video *v, const unsigned char *picture);
/* video_close -- ends the file, gives it its name and frees v; 0 after a message. */
int video_close(video *v);
/* video_discard -- ends it and leaves no file. */
void video_discard(video *v);

#endif /* VIDEO_H */
